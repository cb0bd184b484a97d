"""Launch overhead: below which size does a model wait for its host?"""

from labutils.exercises.checkers.sheets import number

KERNELS, LAUNCH_S, BANDWIDTH = 400, 5e-6, 3.35e12


def _bytes(kernels=KERNELS, bandwidth=BANDWIDTH):
    return kernels * LAUNCH_S * bandwidth


LAUNCHES = number(rf"""
machine.launches · Too small for its host · 3 minutes

= {_bytes()} B tolerance=0.02 story={KERNELS},{LAUNCH_S},{BANDWIDTH},5
- one-kernel {_bytes(kernels=1)}: You count one launch. How many does a step need?
- seconds-not-bytes {KERNELS * LAUNCH_S}: That is how long the host launches, in seconds. What can
  the device read in that time?
- weights-not-bytes {_bytes() / 2}: You answer in weights of two bytes. The question is about bytes.
- a-second-of-it {BANDWIDTH}: That is what the device reads in a second. How long does the host need
  for a step?
- per-launch-and-second {BANDWIDTH / KERNELS}: You divide the bandwidth among the launches. First
  say how many seconds the host is busy with a step.
> How long does the host take to launch a step? What can the device read in that time?
> The host: 400 × 5 µs. The device reads 3.35e12 bytes in a second.
> 400 × 5e-6 s × 3.35e12 B/s.

The host needs $400 \cdot 5\,\mu\text{{s}} = 2$ ms to launch a step. In 2 ms this device reads
$2\cdot10^{{-3}} \cdot 3.35\cdot10^{{12}} = 6.7$ GB. A model whose weights are smaller is done
before its next kernel has been launched: its step takes 2 ms, however small it is. A graph replays
all 400 with one launch, and then the weights count again. Above 6.7 GB the launches hide behind the
reading, and a graph gains next to nothing.
""")
