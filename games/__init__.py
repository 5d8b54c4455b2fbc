"""The rules: what can happen, who sees what, who is paid.

Importing this package registers every variant with OpenSpiel.
"""

from pokerspiel.games import openspiel as openspiel
