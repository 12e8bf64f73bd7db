"""How did it come to be?"""
