"""The commands, one file a group of them; `relaysow.cli.app` lists them."""
