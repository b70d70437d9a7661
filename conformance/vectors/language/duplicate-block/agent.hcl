defaults {
  resource = "ask"
}

defaults {
  resource = "allow"
}

approvals {
}

approvals {
}
