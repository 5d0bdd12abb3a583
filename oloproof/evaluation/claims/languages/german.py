"""German."""

from __future__ import annotations

from typing import Final

from oloproof.evaluation.claims.grammar import Grammar, Role

GRAMMAR: Final = Grammar(
    language="de",
    letters=frozenset("äöü"),
    negation_last=True,
    infinitive="zu",
    negative_prefixes=("un", "nicht"),
    infinitive_endings=("n",),
    participle_endings=("t", "te", "ter", "tes", "tem", "ene", "ener", "enes"),
    phrases={
        Role.NOT: "nicht, nie, niemals, kaum, statt, anstatt",
        Role.NOTHING: "nichts, niemand, niemandem, niemanden, kein, keine, keinen, keiner, "
        "keinem, keines, keins, auf keinen fall, in keinem fall, keineswegs, keinesfalls, "
        "nirgends",
        Role.NEITHER: "weder",
        Role.WITHOUT: "ohne",
        Role.ALMOST: "beinahe, fast, beinah, so gut wie, nahezu, praktisch, um ein haar",
        Role.MODAL: "wird, werde, werden, werdet, würde, würden, kann, können, könnte, könnten, "
        "konnte, konnten, soll, sollen, sollte, sollten, muss, müssen, müsste, musste, "
        "darf, dürfen, dürfte, will, wollen, wollte, wollten, möchte, möchten, hätte, "
        "hätten, wäre, wären, lass, lassen, zu werden, bitten, gebeten, baten, ist zu, "
        "sind zu, zu bekommen, zu lassen",
        Role.HEDGE: "dachte, glaubte, vermutlich, wahrscheinlich, vielleicht, wohl, anscheinend, "
        "scheinbar, angeblich, möglicherweise, offenbar, glaube, denke, hoffe, scheint, "
        "eigentlich, vermute, worden sein, soweit ich weiß, müsste, laut, zufolge, nach angaben, "
        "sei, seien",
        Role.WHOLLY: "voll, komplett, vollständig, völlig, restlos",
        Role.AND: "und",
        Role.OR: "oder",
        Role.CONTRAST: "aber, sondern, doch, jedoch, sondern auch, sondern nur, stattdessen, "
        "allerdings, außer dass",
        Role.CONDITION: "wenn, falls, sofern, sobald, solange, als ob",
        Role.PURPOSE: "damit",
        Role.TIME: "bevor, nachdem, während, ehe",
        Role.THAT: "dass",
        Role.LINK: "weil, denn, da, daher, deshalb, obwohl, also, darum",
        Role.WHETHER: "ob",
        Role.ASKING: "ist, sind, war, waren, hat, habe, haben, hatte, wurde, wurden, wird, "
        "werden, soll, sollen, sollte, kann, können, könnte, darf, möchten, wollen, wer, was, "
        "wann, wo, warum, wie, welche, welcher, welches",
        Role.VERB_FIRST: "wurde, wurden, wird, werden, ist, sind, war, sollte, hätte, wäre",
        Role.SAYING: "sagen, sage, sagt, sagte, gesagt, schrieb, schrieben, schreibt, schreiben, "
        "geschrieben, behaupte, behauptet, behauptete, berichtet, meldet, lautet, versprochen, "
        "bestätigen, bestätige, bestätigt, teilte, mitgeteilt",
        Role.ASSURANCE: "ich bestätige, wir bestätigen, kann bestätigen, kann ihnen bestätigen, "
        "kann mitteilen, freue mich",
        Role.TRUE: "stimmt, wahr, richtig, korrekt, der fall",
        Role.UNTRUE: "falsch, unwahr, gelogen",
        Role.CORRECTION: "korrektur, berichtigung, war ein fehler, war ein irrtum, war falsch, "
        "ich habe mich geirrt, ich nehme das zurück, stimmte nicht",
        Role.ANSWER: "ja, nein",
        Role.TAG: "nicht wahr, oder, richtig, ja, stimmt's, nicht",
        Role.AUXILIARY: "ist, sind, war, waren, bin, hat, habe, haben, hatte, hatten, wurde, "
        "wurden, worden, werden, wird, sein, hätte, wäre",
        Role.ADVERB: "schon, bereits, noch, jetzt, nun, auch, bisher, bislang, gerade, soeben, "
        "erfolgreich, wirklich, tatsächlich, gar, überhaupt, doch, also, eben, heute, "
        "wieder, richtig, vollständig, komplett, dafür, damit, mehr, leider",
        Role.SUBJECT: "ich, du, er, sie, es, wir, ihr, man",
        Role.SPEAKER: "ich, wir",
        Role.DETERMINER: "der, die, das, den, dem, des, ein, eine, einen, einem, einer, ihr, "
        "ihre, ihren, ihrem, mein, meine, unser, unsere, dieser, diese, dieses",
        Role.PREPOSITION: "mit, in, zu, bei, für, aus, von, an, auf",
        Role.CAPACITY: "gebucht, reserviert, belegt, besetzt, vergeben",
        Role.HARMLESS: "nicht nur, keine sorge, kein problem, keine ursache, nicht zuletzt, kein "
        "wunder, nichts zu danken, keine angst, keine frage, ohne ausnahme, bis auf "
        "weiteres, außer betrieb, außer haus, außer frage, wie möglich",
        Role.ABBREVIATION: "ca, bzw, nr, usw, etc, str, inkl, evtl, ggf, hr, fr, dr",
        Role.MONTH: "januar, februar, märz, april, mai, juni, juli, august, september, oktober, "
        "november, dezember",
        Role.FAILED: "fehlgeschlagen, fehl, gescheitert, scheiterte, scheiterten, misslungen, "
        "missglückt, erfolglos, abgelehnt, schiefgegangen, nicht gelungen, nicht "
        "gelang, gelang nicht, nicht geschafft, nicht geklappt, nicht erfolgreich, "
        "nicht durchgegangen, nicht zustande gekommen, vergessen, versäumt",
        Role.VAIN: "fehlgeschlagene, fehlgeschlagenen, fehlgeschlagener, fehlgeschlagenes, "
        "fehlgeschlagenem, gescheiterte, gescheiterten, gescheiterter, gescheitertes, "
        "misslungene, misslungenen, misslungener, misslungenes, erfolglose, "
        "erfolglosen, erfolgloser, erfolgloses, abgelehnte, abgelehnten, abgelehnter, "
        "scheitern, fehlschlag",
        Role.MANAGED: "gelungen, gelang, geschafft",
        Role.AIM: "zum, zur, zwecks",
        Role.GENERIC: "dauert, kostet, erfordert, benötigt, möglich, nicht möglich, unmöglich, ist "
        "kostenlos, ist gratis, ist nötig, ist nicht nötig, ist erforderlich, ist nicht "
        "erforderlich",
        Role.REQUEST: "bittet, bat, verlangt, verlangte, verlangten, fordert, forderte, forderten, "
        "wünscht, wünschte, besteht darauf, bestand darauf, empfiehlt, empfahl, schlägt "
        "vor, schlug vor, beantragt, beantragte",
        Role.EXCEPT: "bis auf, mit ausnahme, mit einer ausnahme, ausgenommen",
        Role.BESIDES: "außer, abgesehen von, abgesehen davon, davon abgesehen",
        Role.ALSO: "auch, ebenfalls, zusätzlich, abgesehen davon, davon abgesehen",
        Role.ALL: "alle, alles, allen, aller, jede, jeder, jedes, jeden, jedem, sämtliche, "
        "sämtlichen, ganze, ganzen",
    },
)
