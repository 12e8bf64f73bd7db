"""A walk through the places on the samples, with captions, for presenters."""
