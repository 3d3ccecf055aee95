"""From when on checks of the repons paper are judged.

The paper gives neither the steps nor the learning rate of its networks, so that no number of steps is long enough by
itself: networks must have come to rest, or have learned their task.
"""

from nucleate.claims import Steps, When
from nucleate.papers.repons import readings
from nucleate.papers.repons.experiments import HELD_OUT, LINE, NARROW, PLANE, SMALL

_LASTS = "nearly all networks are canonical, or not, two thirds of the way just as at the end"
_KNOWS = "most networks answer nearly all pairs that they are trained on"
_MANY = "there are at least 1,000 networks to fit potentials to"

SETTLED = When(_LASTS, LINE, readings.have_settled)
SMALL_SETTLED = When(_LASTS, SMALL, readings.have_settled)
LEARNED = When(_KNOWS, PLANE, readings.have_learned)
UNSEEN_LEARNED = When(_KNOWS, HELD_OUT, readings.have_learned)
DECAYED = Steps(3000, NARROW)  # nine times the time 1/(ηλ) in which the weight decay of a treated network acts
LINE_FITTED = When(_MANY, LINE, readings.are_enough)
PLANE_FITTED = When(_MANY, PLANE, readings.are_enough)
