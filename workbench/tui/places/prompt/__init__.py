"""What will the model read?"""
