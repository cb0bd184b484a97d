"""A chapter as a page.

``folds`` (HTML with folds that stay open for what follows), ``outputs`` (what cells printed and
drew), ``asked`` (predictions and exercises), ``chapter_page`` (all of it, cell by cell) and
``article`` (what stands around it).
"""
