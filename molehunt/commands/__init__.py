"""The commands, one module each; heavy imports wait inside them."""
