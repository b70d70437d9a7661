# one
// two
/* three */ policy /* four */ "a" { # five
  match = { /* six */ operation = /* seven */ "x", # eight
    # nine
  }
  action = /* ten */ "deny" // eleven
} # twelve
