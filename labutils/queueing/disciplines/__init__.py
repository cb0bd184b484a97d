"""Who is served next at one server, and what that does to short and to long requests.

``services`` says how long requests keep the server busy, ``orders`` what each order makes of it:
first come, first served; processor sharing; shortest job first; shortest remaining time.
"""
