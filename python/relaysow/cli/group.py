"""A group of commands: how one is found by what people type."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from relaysow._support.checks import shown
from relaysow.text import slips as typed


class Commands(TyperGroup):
    """Commands that are found in any case; of an unknown one it is told which may be meant."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        args = [typed.name(args[0], self.commands), *args[1:]]
        if args[0] not in self.commands:
            known = typed.did_you_mean(args[0], self.commands)
            raise ValueError(f"No such command {shown(args[0])}{known}")
        return super().resolve_command(ctx, args)
