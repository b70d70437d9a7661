action = "allow"
