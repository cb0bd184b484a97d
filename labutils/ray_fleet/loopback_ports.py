"""The one port of Ray Serve that listens to everybody, whatever it is told."""


def keep_to_loopback() -> None:
    """Where Ray is on this machine alone, let a replica's gRPC server listen there alone.

    Ray 2.60 has ``[::]:0`` in its source (``serve/_private/replica.py``); it opens that port after
    the replica's own class was made, so its constructor is early enough.
    """
    import ray
    from ray.serve._private import replica

    if ray.util.get_node_ip_address() != "127.0.0.1":
        return
    opened = replica.add_port_to_grpc_server
    replica.add_port_to_grpc_server = lambda server, _: opened(server, "127.0.0.1:0")
