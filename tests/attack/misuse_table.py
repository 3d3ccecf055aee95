"""Calls that cannot work. Each must raise an error with a message that has the word: what is wrong is named.

The error is a `RunError` where something on disk is wrong, and else one of Python's for wrong values. The names are
those of the rooms, and some of `misuses`: R a recipe, M its members, P its plan, D its record, RUN its run, K a key,
E an embedding, Q the equations of an addition table's parallelograms, C5 the characters of five elements.
"""

_BAD = (ValueError, TypeError, LookupError)

_FLEET = """
Plan(R, M, 0)                                               | Plan.steps
Plan(R, M, -5)                                              | Plan.steps
Plan(R, M, 1.5)                                             | Plan.steps
Plan(R, M, nan)                                             | Plan.steps
Plan(R, M, "20")                                            | Plan.steps
Plan(R, M, None)                                            | Plan.steps
Plan(R, M, 20, block=0)                                     | Plan.block
Plan(R, M, 20, block=1.5)                                   | Plan.block
Plan(R, M, 20, block="all")                                 | Plan.block
Plan(R, M, 20, microbatches=0)                              | Plan.microbatches
Plan(R, None, 20)                                           | Plan.members
Plan(R, {"seed": [0]}, 20)                                  | Plan.members
Plan("Line", M, 20)                                         | Plan.recipe
Plan(None, M, 20)                                           | Plan.recipe
Plan(R, M, 20, about=3)                                     | Plan.about
Plan(R, table(seed=[0, 1.5], eta=0.1), 20)                  | seed
Plan(R, table(seed=[-1], eta=0.1), 20)                      | seed
Plan(R, table(seed=[2**40], eta=0.1), 20)                   | seed
Plan(R, table(seed=[0], eta=["fast"]), 20)                  | eta
Plan(R, table(seed=[0], loss=[1.0], eta=0.1), 20)           | loss
Plan(R, table(seed=[0], member=[1.0], eta=0.1), 20)         | member
Plan(R, table(seed=[0], step=[1.0], eta=0.1), 20)           | step
Members({})                                                 | seed
Members({"seed": [0, 1], "eta": [0.1]})                     | length
Members({"seed": 3})                                        | seed
Members(None)                                               | Members
Members([("seed", [0])])                                    | Members
M.row("first")                                              | row
M.row(99)                                                   | row
M.only([99])                                                | only
M.only("ab")                                                | only
grid()                                                      | seed
grid(eta=[0.1])                                             | seed
grid(seed=[])                                               | Members
grid(seed="abc")                                            | seed
grid(seed=None)                                             | seed
grid(seed=range(10**12), eta=[1, 2])                        | Members
table(seed=range(2), eta=range(3))                          | length
table(seed=[[0, 1], [2, 3]])                                | seed
table(seed=object())                                        | seed
Every(0)                                                    | Every.gap
Every(2.5)                                                  | Every.gap
Every("5")                                                  | Every.gap
Every(None)                                                 | Every.gap
LogSpaced(1)                                                | LogSpaced.count
LogSpaced(nan)                                              | LogSpaced.count
First(0)                                                    | First.count
First("3")                                                  | First.count
At(())                                                      | At.chosen
At((-1,))                                                   | At.chosen
At(5)                                                       | At.chosen
At(("a",))                                                  | At.chosen
Probe("", loss, Every(5))                                   | Probe.name
Probe(None, loss, Every(5))                                 | Probe.name
Probe("a/b", loss, Every(5))                                | Probe.name
Probe("loss", "loss", Every(5))                             | Probe.look
Probe("loss", loss, 5)                                      | Probe.schedule
Probe("loss", loss, Every(5), dims="token")                 | Probe.dims
Probe("loss", loss, Every(5), dims=("a", "a"))              | Probe.dims
Probe("loss", loss, Every(5), axis=None)                    | Probe.axis
Crossing("low", "loss")                                     | low
Crossing("low", "loss", above=1, below=2)                   | low
Crossing("low", "loss", below="1")                          | Crossing.below
Crossing(None, "loss", below=1)                             | Crossing.name
Minibatch(0)                                                | Minibatch.size
Minibatch(2.5)                                              | Minibatch.size
Minibatch(None)                                             | Minibatch.size
Stream(3)                                                   | Stream.sample
train("plan", "there")                                      | plan
train(P, None)                                              | train
train(P, 3)                                                 | train
train(P, "there", watch="bar")                              | watch
train(P, "there", checkpoint_seconds="often")               | checkpoint_seconds
train(P, "there", checkpoint_seconds=-1.0)                  | checkpoint_seconds
train(P, "there", allow="long")                             | allow
train(Probed(("member",)), "there")                         | member
train(Probed(("step",)), "there")                           | step
train(Probed(("token",), 0), "there")                       | vector
train(Probed(("outcome",)), "there")                        | outcome
replay(P, RUN, 99)                                          | member
replay(P, RUN, -1)                                          | member
replay(P, RUN, "first")                                     | member
replay(P, "run", 0)                                         | run
replay(Plan(R, table(seed=[5, 6], eta=0.3), 20), RUN, 0)    | plan
rebuild(R, {"eta": 0.1}, zeros(99))                         | weights
rebuild(R, {"eta": 0.1}, "weights")                         | weights
Plan(R, M, 20, keep_weights=5)                              | Plan.keep_weights
Plan(R, M, 20, made_by="Lines")                             | Plan.made_by
open_run("nowhere")                                         | nowhere            | RunError
open_run(RUN.path, "Line")                                  | recipe
open_run(RUN.path).model(99)                                | member
open_run(RUN.path).model("first")                           | member
open_run(RUN.path).model(0, "last")                         | step
open_run(RUN.path).model(0, 3)                              | step 3
kept_model(R, D.isel(member=0), 3)                          | step 3
kept_model(R, "record")                                     | record
kept_model("Line", D.isel(member=0))                        | recipe
"""

_PAPERS = """
Lines(seeds=0)                                              | Lines.seeds
Lines(seeds="3")                                            | Lines.seeds
Lines(seeds=None)                                           | Lines.seeds
Lines(eta=-1)                                               | Lines.eta
Lines(eta=nan)                                              | Lines.eta
Lines(steps=2.5)                                            | Lines.steps
Lines(block="x")                                            | Lines.block
Lines.from_json({})                                         | Lines
Lines.from_json(None)                                       | Lines
Lines.from_json([1, 2])                                     | Lines
Slower().plan("toy/second")                                 | toy/first
Slower(source=3).plan("toy/second")                         | Slower.source
Budget("huge")                                              | huge
paper(3)                                                    | name
paper("./nowhere.py")                                       | nowhere.py         | RunError
paper("./empty")                                            | __init__.py        | RunError
paper("alchemy")                                            | alchemy
paper(None)                                                 | paper
Replication.open("nowhere")                                 | nowhere            | RunError
Replication.open("empty")                                   | empty              | RunError
replicate(TOY, "huge", "there")                             | huge
replicate(TOY, None, "there")                               | budget
replicate("toy", Budget.QUICK, "there")                     | paper
replicate(TOY, Budget.QUICK, None)                          | replicate
replicate(TOY, Budget.QUICK, "there", claims="toy/1")       | claims
Paper("toy", "", "", CLAIMS, {"other/x": Sizes.of(Lines())}) | other/x
Paper("toy", "", "", (CLAIMS[0],) * 2, TOY.experiments)     | toy/1
Paper("toy", "", "", CLAIMS, {})                            | toy/1
Paper("toy", "", "", ("toy/1",), {})                        | Paper
Run.open("nowhere")                                         | nowhere            | RunError
Run.open("empty")                                           | run.json           | RunError
open_record("nowhere")                                      | nowhere            | RunError
open_record("empty")                                        | empty              | RunError
verify(Path("nowhere"))                                     | nowhere            | RunError
Recorder(3)                                                 | Recorder.path
Recorder("logged", members=0)                               | members
Recorder("logged", dims=3)                                  | Recorder.dims
Recorder("logged", facts={"label": "none"})                 | label
Recorder("logged").log("first", loss=1.0)                   | step
from_arrays({}, [0])                                        | arrays
from_arrays({"loss": [1.0, 2.0]}, [1, 0])                   | steps
from_arrays({"loss": [1.0, 2.0]}, [0])                      | loss
read_checkpoints("nowhere")                                 | nowhere            | RunError
at_the_end(D, "temperature")                                | temperature
at_the_end(D, "seed")                                       | seed
last_row(D, "token")                                        | token
stayed_finite(D.drop_vars("outcome"))                       | outcome
CircleFleet(embeddings=1).after(D)                          | CircleFleet
"""

_CLAIMS = """
Region(2, 1)                                                | Region
Region("a", 1)                                              | Region
Region.around(0, -1)                                        | Region
Region.around(nan, 1)                                       | Region
Region.below(None)                                          | Region
Region.below("1")                                           | Region
Region.exactly("x")                                         | Region
Estimate("a", 0, 1)                                         | Estimate
Estimate.exact("half")                                      | Estimate
share(5, 3)                                                 | share
share(-1, 3)                                                | share
share("1", 3)                                               | share
share(None, 3)                                              | share
bootstrap(np.median, np.array(["a", "b"]))                  | bootstrap
bootstrap("median", np.zeros(9))                            | bootstrap
bootstrap(np.median, "abc")                                 | bootstrap
bootstrap(np.median)                                        | bootstrap
bootstrap(np.median, np.arange(9.0), resamples=0)           | resamples
bootstrap(np.median, np.arange(9.0), resamples="many")      | resamples
spearman(np.zeros(3), np.zeros(4))                          | spearman
pearson(np.zeros(3), np.zeros(4))                           | pearson
Claim("toy/1", "", "", (), len)                             | toy/1
Claim("toy", "", "", (CHECK,), len)                         | toy
Claim("toy/x", "", "", (CHECK,), len)                       | toy/x
Claim("toy/1", "", "", (CHECK, CHECK), len)                 | toy/1
Claim("toy/1", "", "", CHECK, len)                          | Claim
Claim("toy/1", "", "", (CHECK,), "measure")                 | Claim.measure
Check("x", "1", "below 1")                                  | Check.region
Steps(0, "toy/first")                                       | Steps.least
Steps("many", "toy/first")                                  | Steps.least
read_json(Path("nowhere.json"))                             | nowhere.json       | RunError
"""

_NUMBERS = """
AdditionTask(1)                                             | AdditionTask.p
AdditionTask("10")                                          | AdditionTask.p
AdditionTask(2.5)                                           | AdditionTask.p
AdditionTask(None)                                          | AdditionTask.p
AdditionTask(2**40)                                         | AdditionTask
AdditionTask(5).split(K, 99)                                | train_size
AdditionTask(5).split(K, "3")                               | train_size
ModularAdditionTask(0)                                      | ModularAdditionTask.p
ModularAdditionTask("x")                                    | ModularAdditionTask.p
Box((1.0,))                                                 | Box.size
Box((1.0, -1.0))                                            | Box.size
Box((1.0, nan))                                             | Box.size
Box("ab")                                                   | Box.size
Box((1.0, 1.0)).boundary(0.0)                               | spacing
Contact(stiffness=-1)                                       | Contact.stiffness
Contact(mass=0)                                             | Contact.mass
Contact(diameter="1")                                       | Contact.diameter
ParticleTask(particles=0)                                   | ParticleTask.particles
ParticleTask(dt=0)                                          | ParticleTask.dt
ParticleTask(steps=1.5)                                     | ParticleTask.steps
ParticleTask(box=None)                                      | ParticleTask.box
MLP((3,), key=K)                                            | MLP.sizes
MLP((3, 0), key=K)                                          | MLP.sizes
MLP("ab", key=K)                                            | MLP.sizes
MLP((3, 2.5), key=K)                                        | MLP.sizes
Attention(10, 3, look_at_all, key=K)                        | Attention
Attention(0, 1, look_at_all, key=K)                         | Attention
Attention(8, 0, look_at_all, key=K)                         | Attention
TransformerSize(blocks=0)                                   | TransformerSize.blocks
TransformerSize(heads=3)                                    | TransformerSize
TransformerSize(width="128")                                | TransformerSize.width
LayerNorm(0)                                                | LayerNorm
scale(E, 0, 2.0)                                            | frequency
scale(E, 99, 2.0)                                           | frequency
scale(E, 1.5, 2.0)                                          | scale
scale(E[0], 1, 2.0)                                         | embedding
keep(E, [99])                                               | frequency
keep("embedding", [1])                                      | embedding
remove(None, [1])                                           | embedding
remove(E, 3)                                                | remove
construct(2, 4, {1: 1.0}, K)                                | construct
construct(7, 0, {1: 1.0}, K)                                | construct
construct(7, 4, {9: 1.0}, K)                                | frequency
construct("7", 4, {1: 1.0}, K)                              | construct
ClosedForm(ridge=-1)                                        | ClosedForm.ridge
Sparse(alpha=-1)                                            | Sparse.alpha
Sparse(alpha="x")                                           | Sparse.alpha
Neural(width=0)                                             | Neural.width
Neural(seed=1.5)                                            | Neural.seed
PairPotential(coefficients=0)                               | PairPotential.coefficients
PairPotential(reach=2.0)                                    | PairPotential.reach
Regimes(most=0)                                             | Regimes.most
Window(5, 1)                                                | Window
Logistic(C=0)                                               | Logistic.C
EffectiveLoss().fit(D)                                      | embedding
LinearFlow().fit(D)                                         | signal
LotkaVolterra().fit(None)                                   | record
PowerLaw("temperature").fit(D)                              | temperature
PowerLaw(3)                                                 | PowerLaw.variable
Fitness(at=0)                                               | Fitness.at
Fitness().fit(D)                                            | signal
signal(E[0])                                                | embedding
signal("embedding")                                         | embedding
signal(None)                                                | embedding
project(E, 99)                                              | frequency
plane(E, 0)                                                 | frequency
spacing(0, 7)                                               | spacing
spacing(3, "7")                                             | spacing
pca_spectrum(E[0])                                          | embedding
pca_frequencies(E, 0)                                       | planes
rqi(E, zeros((3, 99)))                                      | equations
rqi(None, Q)                                                | embedding
procrustes_error(E, E[:3])                                  | procrustes_error
fvu(E, E[:3])                                               | fvu
slingshots(np.ones(9), rise=0)                              | rise
vote(np.zeros((2, 2), int), 5)                              | vote
aoyagi((2, 2), 5)                                           | rank
aoyagi("ab", 1)                                             | widths
Above("10")                                                 | Above.threshold
Distance(-1)                                                | Distance.delta
MeanSquare(nan)                                             | MeanSquare.threshold
Grid((), (1.0,))                                            | Grid.step
Grid((1e-4,), (-1.0,))                                      | Grid.nbeta
Setting(0, 1)                                               | Setting.step
Setting(1e-4, "x")                                          | Setting.nbeta
Sampling(chains=0)                                          | Sampling.chains
Sampling(draws=1.5)                                         | Sampling.draws
Sampling(sampler="SGLD")                                    | Sampling.sampler
Minibatches(np.zeros((4, 2)), 0)                            | size
Minibatches(np.zeros((4, 2)), 9)                            | size
Matching("(")                                               | Matching
learning_coefficient(len, Whole(E), [], [Setting(1e-4, 1)]) | checkpoints
mixing(np.zeros(3))                                         | mixing
"""

_ALGEBRA = """
Characters.cyclic(0)                                        | cyclic: d
Characters.cyclic(2.5)                                      | cyclic: d
Characters.of("abc")                                        | Characters.table
Characters.of([[0, 1], [1]])                                | square
Characters.of([[0, 1], [1, 5]])                             | none of the 2 elements
Characters.of([[0, 1, 2], [1, 2, 0], [2, 1, 0]])            | do not commute
Characters.of(Group.named("S3").products)                   | abelian
Characters(None)                                            | Characters.table
Solution(C5, None)                                          | Solution.z
Solution(C5, [["a"]])                                       | Solution.z
Solution(C5, zeros((3, 4, 1)))                              | Solution.z
Solution(5, zeros((3, 5, 1)))                               | Solution.characters
Partial(zeros(3))                                           | Partial.z
Partial(zeros((3, 1)), "first")                             | Partial.frequency
nu("i")                                                     | nu: value
nu(nan)                                                     | nu: value
xi(2)                                                       | modulus 1
unit(None)                                                  | unit: a
syn_twisted(1, [1, 2])                                      | syn_twisted: beta
syn().at(5, 1)                                              | characters
syn().at(C5)                                                | k must be given
syn().at(C5, 7)                                             | Partial.at
syn().pinned(1) * nu(1j).pinned(2)                          | two frequencies
order_six(5)                                                | characters
order_six(C5, "x")                                          | nu_values
order_four(C5, [1, 1, 1])                                   | xi_values
mixed(C5, 9)                                                | k0
mixed(C5, "a")                                              | k0
memorising(None)                                            | characters
decompose(C5)                                               | solution
to_weights(syn())                                           | solution
from_weights(C5, E, E, E)                                   | from_weights
occam_path(order_six(C5), order_six(C5), ())                | times
occam_path(order_six(C5), order_four(C5), (0.5,))           | R_n
factorise(E, E, E.T, C5)                                    | factorise: a
factorise(*to_weights(order_six(C5)), "C5")                 | factorise: characters
Thresholds(flip=0)                                          | Thresholds.flip
"""


def misuses() -> list[tuple[str, type[Exception] | tuple[type[Exception], ...], str]]:
    """Each expression, the error that it must raise and a word of its message."""
    from nucleate.record import RunError

    rows = []
    for line in filter(None, (_FLEET + _PAPERS + _CLAIMS + _NUMBERS + _ALGEBRA).splitlines()):
        expression, word, *error = (part.strip() for part in line.split(" | "))
        rows.append((expression, RunError if error else _BAD, word))
    return rows
