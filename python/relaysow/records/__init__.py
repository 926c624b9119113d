"""Records: games, matches, series and commented positions as text, read strictly or leniently.

A record is lines of text; its numbers, rules, moves and positions are those of `relaysow.text.notation`:

    record       = "relaysow " kind " 1" newline { tag newline } [ newline body ]
    kind         = "game" | "match" | "series"
    tag          = "[" name ' "' text '"]'
    body         = [ comment newline ] ( { turn newline } | part { newline part } )    (game | else)
    part         = head newline { layout newline } { turn newline }
    head         = ( "round " | "game " ) number ": " number "-" number       (match | series)
    layout       = player " " ( "shorten" | row ) [ " " comment ]
    turn         = number ". " player " " said { " " said }
    said         = move [ " " comment ]
    comment      = "{" text "}"
    row          = number { "," number }

* The tags stand in any order, once each.  Any record has `Rules` and `Result`: `South`, `North`,
  `draw`, or `*` if it has not ended; and it may have `Event`, `Place`, `Date` (`1972`, `1972-05` or
  `1972-05-31`), and the names of the players, `South` and `North`.
* A game has `Start`, a position, unless it began at the opening of the rules; and once it has ended
  `Stores`, South's and North's, such as `40-24`, and `End`, a name of an ending.  A position with a
  comment is a game without moves.
* A match has `Scheme`, `First` (`South` or `North`), `Twice` unless it is `asked`, `HalfOf` unless it is `match`, and `Totals`
  once it has ended; a series `First`, `BestOf` and `OneWarrior` unless they are none and 1, and
  `Points`.
* A turn stands on its own line: its number in the game, who plays, the moves (the extra moves it
  earned included).  A head tells the number of the round or game and the totals or points at its
  start.  A lay-out is the player's row from his own left.
* A comment is on the position that the step before it led to, or on the first.  In comments and
  tags `\\n` is a new line, `\\uXXXX` the character of that hexadecimal number; a backslash also
  stands before a backslash, quotation mark or brace that is meant as such.

Nothing else is allowed when a record is read strictly; only its lines may end as on any system (LF,
CR LF, CR), a byte-order mark may stand before the first, and the last one may be followed by empty
ones or lack its own end.  Of several records in a text each begins at its line `relaysow …`, with
an empty line before it, whatever is wrong with the one before.  A lenient reader forgives how it is
written, never what was played: spaces, empty lines and line breaks anywhere, typographic minus
signs, small letters, heads, numbers of turns and players left out, numbers, results and heads that
are wrong, tags unknown, doubled or in disorder, two comments on a position.  It keeps a list of
what it overlooked, each with line and column.  Either reader plays the record again, and refuses
illegal steps.
"""

from relaysow._support.reloading import once
from relaysow.records.texts import Record, iter_records, read_records, replay
from relaysow.records.writing import record

once(__name__)

__all__ = ["Record", "iter_records", "read_records", "record", "replay"]
