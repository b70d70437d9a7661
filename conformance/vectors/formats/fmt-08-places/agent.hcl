policy "places" { # é
  match  = { operation = "éé", /* 👨‍👩‍👧 */ risk = "hgih" }
  action = "alow"
}
