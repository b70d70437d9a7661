defaults {
  resource = "allow"
}
