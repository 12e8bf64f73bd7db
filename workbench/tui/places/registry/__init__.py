"""What is registered, by whom, in which layer?"""
