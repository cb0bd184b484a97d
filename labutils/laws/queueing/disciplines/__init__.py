"""Who is served next at one server, and what that does to short and to long requests.

``service_laws`` says how long requests keep the server busy, ``service_orders`` what each order
makes of it: first come, first served; processor sharing; shortest job first; shortest remaining
time.
"""
