# café
policy "a" {}
