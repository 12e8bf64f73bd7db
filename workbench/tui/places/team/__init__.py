"""What has the team made of its prompts?"""
