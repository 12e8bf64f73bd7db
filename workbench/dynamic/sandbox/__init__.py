"""What the host half of a package can reach. Light, since the probe loads it in a process of its own."""
