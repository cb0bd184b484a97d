# The course in a container, on a CPU or an NVIDIA GPU: docs/cloud/docker.md says how to run it.
#
#   docker build -t tokens-in-flight .
#   docker build -t tokens-in-flight --build-arg BASE=nvidia/cuda:TAG .      TAG: …-base-ubuntu24.04
#   docker build -t tokens-in-flight --build-arg EXTRAS=lab .                without torch
#
# The base needs Debian's or Ubuntu's apt, and Python 3.11 or newer there if it has none itself.
ARG BASE=python:3.11-slim-bookworm
# hadolint ignore=DL3006
FROM ${BASE}

SHELL ["/bin/bash", "-o", "errexit", "-o", "pipefail", "-c"]

# A CUDA base has no Python; a plain Debian has one without venv.
# hadolint ignore=DL3008
RUN if ! python3 -c "import ensurepip, venv" 2>/dev/null; then \
        apt-get update; \
        apt-get install -y --no-install-recommends python3 python3-venv; \
        rm -rf /var/lib/apt/lists/*; \
    fi; \
    python3 -c "import sys; assert sys.version_info >= (3, 11), 'Python 3.11 or newer is needed'"

# Files on a mounted disk keep this number: give your own with --build-arg USER_ID="$(id -u)".
ARG USER_ID=1000
RUN useradd --non-unique --uid "${USER_ID}" --create-home --shell /bin/bash learner; \
    install -d -o learner -g learner /course /course/my /turns /opt/venv
USER ${USER_ID}
WORKDIR /course
ENV HOME=/home/learner \
    PATH=/opt/venv/bin:$PATH \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility

# Packages first, so that a changed chapter does not install them anew. torch alone comes from the
# address of PyTorch's CPU or CUDA wheels, in a step of its own: an index beside another one could
# offer any package. No address with a password in it: build arguments can be read from the image.
ARG EXTRAS=lab,torch
ARG TORCH_INDEX_URL=""
COPY --chown=learner:learner pyproject.toml constraints.txt README.md LICENSE LICENSE-PROSE NOTICE ./
RUN python3 -m venv /opt/venv; \
    mkdir labutils data; \
    touch labutils/__init__.py; \
    if [[ -n "${TORCH_INDEX_URL}" ]]; then \
        pip install --no-deps --index-url "${TORCH_INDEX_URL}" "$(grep '^torch==' constraints.txt)"; \
    fi; \
    pip install -c constraints.txt -e ".[${EXTRAS}]"

COPY --chown=learner:learner . .

# The learner's copies and progress; without a volume they end with the container.
VOLUME /course/my
EXPOSE 8888
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:8888/api', timeout=8)"]

# What make lab starts. Inside a container it has to listen on every address: publish the port on
# the host's 127.0.0.1 alone. JupyterLab asks for its token, $JUPYTER_TOKEN or one that it prints.
CMD ["python", "-m", "labutils", "lab", "--no-browser", "--ip=0.0.0.0", "--port=8888", "--ServerApp.port_retries=0"]
