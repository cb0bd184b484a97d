"""What the first cell of a class copy runs, by platform; the pages of ``docs/cloud`` show it."""

COLAB = """\
COURSE = "{address}"  # your copy's address
![ -d /content/course ] || git clone -q --depth 1 {{COURSE}} /content/course
%pip install -q /content/course
%cd /content/course
"""
KAGGLE = COLAB.replace("/content/", "/kaggle/working/")
COLAB_ZIP = """\
![ -d /content/course ] || unzip -q {folder}/course.zip -d /content
%pip install -q /content/course
%cd /content/course
"""
DRIVE = (
    "from google.colab import drive\n"
    + """
drive.mount("/content/drive")
%env LABUTILS_MY=/content/drive/MyDrive/tokens-in-flight
"""
)
PLATFORMS = ("colab", "kaggle", "hub", "zip")


def set_up_cell(platform: str, address: str = "", *, drive: bool = False) -> str:
    """The cell's text; empty on a hub, where the course is there already.

    >>> print(set_up_cell("zip"))
    ![ -d /content/course ] || unzip -q /content/course.zip -d /content
    %pip install -q /content/course
    %cd /content/course
    """
    if platform == "hub":
        return ""
    if platform == "zip" and drive:  # the zip lies in Drive, too: it is uploaded once
        return f"{DRIVE}{COLAB_ZIP.format(folder='/content/drive/MyDrive')}".strip()
    course = {"colab": COLAB, "kaggle": KAGGLE, "zip": COLAB_ZIP}[platform]
    text = course.format(address=address, folder="/content")
    return f"{text}{DRIVE if drive else ''}".strip()
