"""What is another between two prompts?"""
