"""What the host half of a package is given: its façade, its harness, and the boundary of its tools."""
