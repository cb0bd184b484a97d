"""Answers to chapter 09, where the time goes, as a careful reader tried them."""

from tests.answers.answer import right, wrong

ALONE = [
    wrong(
        "where.alone",
        "counts whole milliseconds",
        """
def alone(span, children):
    s, e = span
    return sum(1 for t in range(int(s), int(e)) if not any(a <= t < b for a,b in children))
""",
        true=("whole-milliseconds",),
    ),
    wrong(
        "where.alone",
        "subtracts the union, in the order given",
        """
def alone(span, children):
    total = span[1]-span[0]
    pos = span[0]
    for a,b in children:
        a = max(a,pos); b=min(b,span[1])
        if b>a:
            total -= b-a
            pos = b
    return total
""",
        true=("in-the-order-given",),
    ),
    wrong(
        "where.alone",
        "subtracts every child, clipped",
        """
def alone(span, children):
    return span[1]-span[0]-sum(min(b,span[1])-a for a,b in children)
""",
        true=("sums-the-children",),
    ),
    wrong(
        "where.alone",
        "subtracts the union, past the end of the span",
        """
def alone(span, children):
    total = span[1]-span[0]
    pos = span[0]
    for a,b in sorted(children):
        a = max(a,pos)
        if b>a:
            total -= b-a
            pos = b
    return total
""",
        true=("follows-children-outside",),
    ),
    wrong(
        "where.alone",
        "the mark moves backwards",
        """
def alone(span, children):
    own = 0
    pos = span[0]
    for a,b in sorted(children):
        if a>pos: own += a-pos
        pos = b
    return own + max(0, span[1]-pos)
""",
        true=("forgets-the-longer-one",),
    ),
    wrong(
        "where.alone",
        "gives back every overlap of two",
        """
import itertools
def alone(span, children):
    c=[(a,min(b,span[1])) for a,b in children]
    t=span[1]-span[0]-sum(b-a for a,b in c)
    for (a,b),(p,q) in itertools.combinations(c,2):
        t+=max(0,min(b,q)-max(a,p))
    return t
""",
    ),
    wrong(
        "where.alone",
        "gives back the overlap of neighbours",
        """
def alone(span, children):
    c=sorted((a,min(b,span[1])) for a,b in children)
    t=span[1]-span[0]-sum(b-a for a,b in c)
    for (a,b),(p,q) in zip(c,c[1:]):
        t+=max(0,min(b,q)-max(a,p))
    return t
""",
    ),
    wrong(
        "where.alone",
        "goes through the children by their end",
        """
def alone(span, children):
    own=0; pos=span[0]
    for a,b in sorted(children,key=lambda c:c[1]):
        own+=max(0,a-pos); pos=max(pos,b)
    return own+max(0,span[1]-pos)
""",
    ),
    right(
        "where.alone",
        "cuts the children out of what is free",
        """
def alone(span, children):
    free=[tuple(span)]
    for a,b in children:
        free=[p for s,e in free for p in ((s,min(e,a)),(max(s,b),e)) if p[1]>p[0]]
    return sum((e-s for s,e in free), 0.0)
""",
    ),
    right(
        "where.alone",
        "recursion over what lies before and behind a child",
        """
def alone(span, children):
    s,e = span
    if s>=e: return 0
    if not children: return e-s
    (a,b),*rest = children
    b=min(b,e); a=max(a,s)
    if b<=a: return alone(span,rest)
    return alone((s,a),rest)+alone((b,e),rest)
""",
    ),
    right(
        "where.alone",
        "a fraction",
        """
from fractions import Fraction
def alone(span, children):
    own=Fraction(0); pos=Fraction(span[0])
    for a,b in sorted(children):
        own+=max(0,Fraction(a)-pos); pos=max(pos,Fraction(b))
    return own+max(0,Fraction(span[1])-pos)
""",
    ),
]

WAITED_FOR = [
    wrong(
        "where.waited_for",
        "looks for an end at that very moment",
        """
def waited_for(stages):
    name=max(stages,key=lambda n:stages[n][1]); path=[name]
    while True:
        b=[n for n in stages if stages[n][1]==stages[name][0]]
        if not b: return path[::-1]
        name=b[0]; path.append(name)
""",
        true=("at-that-moment",),
    ),
    wrong(
        "where.waited_for",
        "the longest of those that had ended",
        """
def waited_for(stages):
    name=max(stages,key=lambda n:stages[n][1]); path=[name]
    while True:
        b=[n for n in stages if stages[n][1]<=stages[name][0]]
        if not b: return path[::-1]
        name=max(b,key=lambda n:stages[n][1]-stages[n][0]); path.append(name)
""",
        true=("longest",),
    ),
    wrong(
        "where.waited_for",
        "the last to start of those that had ended",
        """
def waited_for(stages):
    name=max(stages,key=lambda n:stages[n][1]); path=[name]
    while True:
        b=[n for n in stages if stages[n][1]<=stages[name][0]]
        if not b: return path[::-1]
        name=max(b,key=lambda n:stages[n][0]); path.append(name)
""",
        true=("last-to-start",),
    ),
    wrong(
        "where.waited_for",
        "begins with the last entry",
        """
def waited_for(stages):
    name=list(stages)[-1]; path=[name]
    while True:
        b=[n for n in stages if stages[n][1]<=stages[name][0]]
        if not b: return path[::-1]
        name=max(b,key=lambda n:stages[n][1]); path.append(name)
""",
        true=("from-the-last-entry",),
    ),
    wrong(
        "where.waited_for",
        "the chain with the most work",
        """
def waited_for(stages):
    best={}
    for n,(s,e) in sorted(stages.items(),key=lambda i:i[1][1]):
        pre=max((best[m] for m in best if stages[m][1]<=s),default=(0,[]),key=lambda x:x[0])
        best[n]=(pre[0]+e-s,pre[1]+[n])
    return max(best.values(),key=lambda x:x[0])[1]
""",
        true=("most-work",),
    ),
    wrong(
        "where.waited_for",
        "max without a key",
        """
def waited_for(stages):
    name=max(stages); path=[name]
    while True:
        b=[n for n in stages if stages[n][1]<=stages[name][0]]
        if not b: return path[::-1]
        name=max(b); path.append(name)
""",
        true=("by-name",),
    ),
    wrong(
        "where.waited_for",
        "begins with the last to start",
        """
def waited_for(stages):
    name=max(stages,key=lambda n:stages[n][0]); path=[name]
    while True:
        b=[n for n in stages if stages[n][1]<=stages[name][0]]
        if not b: return path[::-1]
        name=max(b,key=lambda n:stages[n][1]); path.append(name)
""",
        true=("from-the-last-start",),
    ),
    wrong(
        "where.waited_for",
        "compares pairs: the last start",
        """
def waited_for(stages):
    name=max(stages,key=stages.get); path=[name]
    while True:
        b=[n for n in stages if stages[n][1]<=stages[name][0]]
        if not b: return path[::-1]
        name=max(b,key=stages.get); path.append(name)
""",
        true=("by-start",),
    ),
    wrong(
        "where.waited_for",
        "walks back millisecond by millisecond",
        """
def waited_for(stages):
    ends={int(e):n for n,(s,e) in stages.items()}
    t=max(ends); path=[ends[t]]
    t=int(stages[path[0]][0])
    while t>=0:
        if t in ends:
            path.append(ends[t]); t=int(stages[ends[t]][0])
        else: t-=1
        if t==0 and 0 not in ends: break
    return path[::-1]
""",
    ),
    wrong(
        "where.waited_for",
        "pops from the stages handed in",
        """
def waited_for(stages):
    name=max(stages,key=lambda n:stages[n][1]); path=[]
    while True:
        path.append(name); s=stages.pop(name)[0]
        b=[n for n in stages if stages[n][1]<=s]
        if not b: return path[::-1]
        name=max(b,key=lambda n:stages[n][1])
""",
        true=("mutates-input",),
    ),
    wrong(
        "where.waited_for",
        "walks forwards",
        """
def waited_for(stages):
    now=0; path=[]
    while True:
        c=[n for n in stages if stages[n][0]>=now and n not in path]
        if not c: return path
        n=min(c,key=lambda n:(stages[n][0],-stages[n][1])); path.append(n); now=stages[n][1]
""",
    ),
    right(
        "where.waited_for",
        "a generator, made into a list",
        """
import math
def waited_for(stages):
    def walk():
        t=math.inf
        for n,(s,e) in sorted(stages.items(),key=lambda i:-i[1][1]):
            if e<=t: yield n; t=s
    return list(walk())[::-1]
""",
    ),
    right(
        "where.waited_for",
        "arrays of names and times",
        """
import numpy as np
def waited_for(stages):
    names=np.array(list(stages)); s,e=np.array(list(stages.values())).T
    o=np.argsort(-e); path=[]; t=np.inf
    for i in o:
        if e[i]<=t: path.append(names[i]); t=s[i]
    return np.array(path[::-1])
""",
    ),
]

SAVED = [
    wrong(
        "where.saved",
        "whole division",
        """
from labutils.latency import percentile
def saved(times, stage, factor, share):
    b=percentile([sum(r) for r in times],share)
    return b-percentile([sum(r)-r[stage]+r[stage]//factor for r in times],share)
""",
        true=("whole-division",),
    ),
    wrong(
        "where.saved",
        "writes fractions into whole numbers",
        """
import numpy as np
from labutils.latency import percentile
def saved(times, stage, factor, share):
    t=np.array(times); b=percentile(t.sum(1),share)
    t[:,stage]=t[:,stage]/factor
    return b-percentile(t.sum(1),share)
""",
        true=("whole-division",),
    ),
    wrong(
        "where.saved",
        "the request that was at the percentile",
        """
import math
def saved(times, stage, factor, share):
    o=sorted(times,key=sum); r=o[math.ceil(share*len(o))-1]
    return r[stage]-r[stage]/factor
""",
        true=("follows-the-same-request",),
    ),
    wrong(
        "where.saved",
        "percentiles added up",
        """
from labutils.latency import percentile
def saved(times, stage, factor, share):
    cols=list(zip(*times)); ps=[percentile(c,share) for c in cols]
    new=[p/factor if k==stage else p for k,p in enumerate(ps)]
    return sum(ps)-sum(new)
""",
        true=("percentile-of-the-stage",),
    ),
    wrong(
        "where.saved",
        "changes the rows handed in",
        """
from labutils.latency import percentile
def saved(times, stage, factor, share):
    b=percentile([sum(r) for r in times],share)
    for r in times: r[stage]/=factor
    return b-percentile([sum(r) for r in times],share)
""",
        true=("mutates-input",),
    ),
    wrong(
        "where.saved",
        "another definition of percentile",
        """
import numpy as np
def saved(times, stage, factor, share):
    b=np.quantile([sum(r) for r in times],share)
    return b-np.quantile([sum(r)-r[stage]+r[stage]/factor for r in times],share)
""",
    ),
    right(
        "where.saved",
        "the largest few of each list",
        """
import heapq
import math
def saved(times, stage, factor, share):
    n=len(times)-max(1,math.ceil(share*len(times)-1e-9))+1
    def p(gen): return heapq.nlargest(n,gen)[-1]
    return p(map(sum,times))-p(math.fsum(r[:stage])+r[stage]/factor+math.fsum(r[stage+1:]) for r in times)
""",
    ),
    right(
        "where.saved",
        "a product with weights",
        """
import numpy as np
def saved(times, stage, factor, share):
    t=np.array(times,float); w=np.ones(t.shape[1]); w[stage]=1/factor
    return np.subtract(*(np.quantile(x,share,method="inverted_cdf") for x in (t.sum(1),t@w)))
""",
    ),
]

LARGEST_RATE = [
    wrong(
        "where.largest_rate",
        "the slowest visit",
        """
def largest(stages):
    v,s,c=max(stages,key=lambda x:x[1]); return c/(v*s)
""",
        true=("slowest-visit",),
    ),
    wrong(
        "where.largest_rate",
        "the most work, whatever the servers",
        """
def largest(stages):
    v,s,c=max(stages,key=lambda x:x[0]*x[1]); return c/(v*s)
""",
        true=("most-work",),
    ),
    wrong(
        "where.largest_rate",
        "less than one visit counts as one",
        """
def largest(stages):
    return min(c/(max(1,v)*s) for v,s,c in stages)
""",
    ),
    wrong(
        "where.largest_rate",
        "in thousands",
        """
def largest(stages):
    return 1000*min(c/(v*s) for v,s,c in stages)
""",
        true=("constant-factor",),
    ),
    right(
        "where.largest_rate",
        "fractions",
        """
from fractions import Fraction
def largest(stages):
    return min(Fraction(c)/(Fraction(v)*Fraction(s)) for v,s,c in stages)
""",
    ),
]

STAGE_LIMITS = [
    wrong(
        "where.stage_limits",
        "cuts the times to whole numbers",
        """
import numpy as np
def stage_limits(stages, limit):
    o=np.sort(np.array(stages,dtype=int),axis=1); k=max(0,(o.sum(0)<=limit).sum()-1)
    return o[:,k].tolist()
""",
        true=("whole-numbers",),
    ),
    wrong(
        "where.stage_limits",
        "cuts the limits to whole numbers",
        """
def stage_limits(stages, limit):
    o=[sorted(s) for s in stages]; best=[x[0] for x in o]
    for row in zip(*o):
        if sum(row)<=limit: best=list(row)
    return [int(b) for b in best]
""",
        true=("whole-numbers",),
    ),
    wrong(
        "where.stage_limits",
        "the slowest request that kept the promise",
        """
def stage_limits(stages, limit):
    return list(max((r for r in zip(*stages) if sum(r)<=limit),key=sum,default=[min(s) for s in stages]))
""",
        true=("times-of-one-request",),
    ),
    wrong(
        "where.stage_limits",
        "in proportion to each p99",
        """
from labutils.latency import percentile
def stage_limits(stages, limit):
    p=[percentile(s,.99) for s in stages]
    return [limit*x/sum(p) for x in p]
""",
        true=("by-maxima",),
    ),
    wrong(
        "where.stage_limits",
        "in proportion to the means",
        """
def stage_limits(stages, limit):
    p=[sum(s)/len(s) for s in stages]
    return [limit*x/sum(p) for x in p]
""",
        true=("by-means",),
    ),
    wrong(
        "where.stage_limits",
        "one stage after the other, a rank each",
        """
def stage_limits(stages, limit):
    o=[sorted(s) for s in stages]; k=[0]*len(o)
    go=True
    while go:
        go=False
        for i in range(len(o)):
            if k[i]+1<len(o[i]) and sum(x[j] for x,j in zip(o,k))-o[i][k[i]]+o[i][k[i]+1]<=limit:
                k[i]+=1; go=True
    return [x[j] for x,j in zip(o,k)]
""",
    ),
    wrong(
        "where.stage_limits",
        "the example",
        """
def stage_limits(stages, limit):
    return [4,30]
""",
    ),
    right(
        "where.stage_limits",
        "halves the ranks",
        """
def stage_limits(stages, limit, lo=0, hi=None):
    o=[sorted(s) for s in stages]; hi=len(o[0])-1 if hi is None else hi
    if lo==hi: return [x[lo] for x in o]
    m=(lo+hi+1)//2
    return stage_limits(o,limit,m,hi) if sum(x[m] for x in o)<=limit else stage_limits(o,limit,lo,m-1)
""",
    ),
    right(
        "where.stage_limits",
        "a search in the sums",
        """
import numpy as np
def stage_limits(stages, limit):
    o=np.sort(stages,axis=1); tot=o.sum(axis=0)
    k=np.searchsorted(tot,limit,side="right")-1
    return list(o[:,max(k,0)])
""",
    ),
]

ANSWERS = [*ALONE, *WAITED_FOR, *SAVED, *LARGEST_RATE, *STAGE_LIMITS]
