"""What a statement says, taken apart into slots, so that two of them can be compared."""
