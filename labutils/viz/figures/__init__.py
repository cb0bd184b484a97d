"""The figures of the chapters, a module for each subject: data in, a finished figure out."""
