"""The web page: a local server to play on, watch searches, and browse experiments.

Data flows in this order:

- `web_run` opens the socket and starts the server; `web_server` has the HTTP routes and the
  WebSocket endpoint, `request_guard` checks Host and Origin.
- `web_messages` validates what a page sends. `web_session` acts on it, `session_registry` holds all
  sessions, `browser_tab` the send queue of each connection.
- `live_game` is the state of one game and the actions on it, without network or threads;
  `agent_limits` and `web_games` validate the agents and games that a page asks for;
  `live_game_formats` writes a game as a state message, as JSON and as SGF; `game_titles` names it.
- `session_searches` starts and stops a session's searches, `search_pool` runs them in threads,
  `search_view` reads their trees while they run.
- `store_pages` reads the result store, `catalogue` lists games and agents for the forms,
  `featured_games` those of the first screen.

`web_server` imports the other modules only after the first page has been served.
"""
