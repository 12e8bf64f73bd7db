"""What all places look at: the subject, the scope, the last preview and the ones before it, and work on them."""
