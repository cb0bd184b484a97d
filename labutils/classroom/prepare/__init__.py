"""A class made ready in one command: copies of a plan's notebooks, and a sheet to hand out.

- ``plans``: the tables of ``INSTRUCTOR.md``
- ``sittings``: the same as hours at a notebook
- ``set_up``, ``class_links``: what differs by platform
- ``copies``: a learner edition with all that in it
- ``handout``: the sheet
- ``class_folder``: both in a folder, and as one zip
- ``cloud_command``: ``labutils cloud``
"""
