"""Load"""
