"""English."""

from __future__ import annotations

from typing import Final

from oloproof.evaluation.claims.grammar import Grammar, Role

GRAMMAR: Final = Grammar(
    language="en",
    commas=False,
    negative_prefixes=("un", "non"),
    parts={
        "can't": ("can", "not"),
        "cannot": ("can", "not"),
        "won't": ("will", "not"),
        "shan't": ("shall", "not"),
        "dont": ("do", "not"),
        "didnt": ("did", "not"),
        "isnt": ("is", "not"),
        "wasnt": ("was", "not"),
        "hasnt": ("has", "not"),
        "havent": ("have", "not"),
    },
    endings={
        "n't": ("not",),
        "'ll": ("will",),
        "'ve": ("have",),
        "'re": ("are",),
        "'m": ("am",),
        "'d": ("'d",),
    },
    decimal=".",
    infinitive="to",
    other_endings=("ed", "ing", "ion", "ment"),
    participle_endings=("ed",),
    participles=(
        *("begun", "bought", "cut", "done", "drawn", "found", "given", "held", "kept", "left"),
        *("made", "paid", "put", "sent", "set", "sold", "taken", "told", "withdrawn", "written"),
    ),
    gerund_endings=("ing",),
    phrases={
        Role.NOT: "not, never, failed to, unable to, forgot to, instead of, rather than, hardly, "
        "scarcely, barely, yet to be, failure to, failing to, not able to, not manage "
        "to, not managed to",
        Role.NOTHING: "nothing, nobody, no one, no, none, no longer, by no means, in no case, "
        "under no circumstances, on no account, nowhere",
        Role.NEITHER: "neither, nor",
        Role.WITHOUT: "without",
        Role.ALMOST: "almost, nearly, as good as, practically, virtually, all but",
        Role.MODAL: "will, would, shall, should, can, could, may, might, must, going to, about to, "
        "have to, has to, had to, need to, needs to, want, wants, wanted, want to, "
        "wants to, wanted to, try to, tried to, trying to, plan to, ready to, able to, "
        "to be, would like, ought to, let me, let us, let's, asked me, asked us, asked "
        "to, supposed to, yet to be, want it, attempt to, attempts to, attempted to",
        Role.HEDGE: "think, thinks, thought, believed, assumed, believe, believes, guess, "
        "suppose, assume, hope, hopes, wish, probably, perhaps, maybe, possibly, likely, "
        "apparently, presumably, seem, seems, seemed, appear, appears, appeared, supposedly, "
        "reportedly, allegedly, may have, might have, must have, seem to, seems to, 'd, "
        "as far as i know, not sure, according to, not certain",
        Role.WHOLLY: "fully, completely, entirely, totally, out, up, solid",
        Role.AND: "and, and then",
        Role.OR: "or",
        Role.CONTRAST: "but, but also, but rather, however, instead, yet, except that, but one, "
        "but two, but three",
        Role.CONDITION: "if, unless, once, as soon as, in case, provided, provided that, as if, "
        "as though, should you, assuming, whenever, suppose that",
        Role.PURPOSE: "so that, lest",
        Role.TIME: "when, before, after, while, until, till",
        Role.THAT: "that",
        Role.RELATIVE: "which, who, whom, whose",
        Role.LINK: "because, so, since, although, though, therefore, where",
        Role.WHETHER: "whether",
        Role.ASKING: "is, are, was, were, has, have, had, do, does, did, can, could, will, "
        "would, shall, should, may, who, what, when, where, why, how, which",
        Role.VERB_FIRST: "had, were, should",
        Role.SAYING: "insist, insists, insisted, suggest, suggests, suggested, say, says, said, "
        "saying, claim, claims, claimed, write, writes, wrote, tell, tells, told, report, "
        "reports, reported, reads, promise, promised, confirm, confirms",
        Role.ASSURANCE: "can confirm, can tell you, can assure you, happy to, glad to, "
        "pleased to, i confirm, we confirm, please note, note, happy to confirm, glad to say, "
        "pleased to confirm, happy to say, pleased to say, can now confirm, can tell",
        Role.TRUE: "true, correct, right, the case",
        Role.UNTRUE: "untrue, false, wrong, incorrect",
        Role.CORRECTION: "correction, i was wrong, i was mistaken, was a mistake, was an error, "
        "scratch that, i take that back, was not true, was wrong, i misspoke",
        Role.ANSWER: "yes, no, yep, nope",
        Role.TAG: "right, correct, is it not, is not it, yes, no, was not it",
        Role.AUXILIARY: "is, are, was, were, am, be, been, has, have, had, having, do, does, did, "
        "get, got, gets, will, would, can, could, shall, should",
        Role.FINITE: "is, are, was, were, am, has, had, do, does, did",
        Role.ADVERB: "already, just, now, yet, still, so far, also, even, actually, successfully, "
        "really, ever, only, absolutely, then, finally, properly, in fact, today, "
        "again, fully, completely, hereby, at all, as yet, been, anything, being, at "
        "once, once more, once again, more than once, unfortunately",
        Role.SUBJECT: "i, you, we, he, she, it, they, this",
        Role.SPEAKER: "i, we",
        Role.DETERMINER: "the, a, an, your, my, our, his, her, their, its, this, these, those, "
        "everything, all, both",
        Role.PREPOSITION: "at, with, in, on, for, under, by, of, to, from, prior to, due to, "
        "thanks to, subject to, up to, next to, in addition to",
        Role.CAPACITY: "booked, reserved, occupied, taken",
        Role.HARMLESS: "not only, not just, no problem, no worries, do not worry, no doubt, why "
        "not, not to worry, not to mention, no need to worry, no need, nothing to worry about, "
        "nothing but, managed to, was able to, were able to, has been able to, have been able to, "
        "without exception, without exceptions, no exception, no exceptions, at no cost",
        Role.ABBREVIATION: "approx, etc, mr, mrs, ms, dr, st, vs",
        Role.FAILED: "failed, fell through, did not go through, has not gone through, did not "
        "succeed, did not work, was not successful, were not successful, not "
        "successful, unsuccessful, came to nothing, was declined, were declined, been "
        "declined, was rejected, were rejected, been rejected, was refused, were "
        "refused, been refused",
        Role.VAIN: "failed, unsuccessful, unsuccessful in, failed in, failed at, failed with, "
        "aborted, declined, rejected, failure of, failure in, failed attempt at, failed attempts "
        "at",
        Role.AIM: "for, for the purpose of, with a view to",
        Role.CAUSATIVE: "to have, to get, to see, having, getting, seeing, being",
        Role.GENERIC: "takes, costs, requires, lasts, would cost, would take, will cost, will "
        "take, can take, may take, is possible, is not possible, is impossible, is easy, is free, "
        "is free of charge, is needed, is not needed, is required, is not required, is necessary, "
        "is not necessary",
        Role.SUBJUNCTIVE: "be",
        Role.REQUEST: "ask, asks, asked, asking, request, requests, requested, requesting, demand, "
        "demands, demanded, require, requires, required, recommend, recommends, "
        "recommended, propose, proposes, proposed, urge, urges, urged, prefer, prefers, "
        "preferred",
        Role.EXCEPT: "except, except for, excepting, with the exception of, excluding, save for, "
        "but one, but two, but three, all but one, all but two, all but the",
        Role.BESIDES: "apart from, aside from, other than, besides, apart from that, aside from "
        "that, other than that, besides that",
        Role.ALSO: "also, too, as well, besides, apart from that, aside from that, other than "
        "that, besides that",
        Role.ALL: "all, every, everything, everyone, everybody, each, any, entire",
    },
)
