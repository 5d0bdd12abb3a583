"""Polish."""

from __future__ import annotations

from typing import Final

from oloproof.evaluation.claims.grammar import Grammar, Role

GRAMMAR: Final = Grammar(
    language="pl",
    concord=True,
    negative_prefixes=("nie",),
    phrases={
        Role.NOT: "nie, zamiast, ledwo",
        Role.NOTHING: "nic, niczego, niczym, nikt, nikogo, żaden, żadna, żadne, żadnego, żadnej, "
        "nigdzie, w żadnym razie",
        Role.NEITHER: "ani",
        Role.ALMOST: "prawie, niemal, niemalże, praktycznie, omal nie, o mało nie",
        Role.MODAL: "będę, będzie, będą, będziemy, zostanie, zostaną, może, mogą, mogę, możemy, "
        "można, mógłby, mogłaby, mogłoby, mogłyby, mógłbym, mogłabym, trzeba, należy, powinien, "
        "powinna, powinno, powinny, musi, muszą, muszę, chcę, chce, chciał, chciała, chciałem, "
        "chciałam, chciałbym, chciałabym, miał zostać, miała zostać, miało zostać, miały zostać, "
        "miał być, miała być, miało być, miały być, ma być, ma zostać, mają być, mają zostać, "
        "by, byłby, byłaby, byłoby, byłyby, zostałby, zostałaby, zostałoby, niech, prosił, "
        "prosiła, proszono, wolno, nie wolno, zamierzam, planuję, spróbuję, da się",
        Role.HEDGE: "myślałem, myślałam, sądziłem, sądziłam, chyba, prawdopodobnie, być może, "
        "podobno, rzekomo, pewnie, raczej, myślę, sądzę, wydaje się, zdaje się, przypuszczam, "
        "przypuszczalnie, wierzę, o ile wiem, mam nadzieję, zapewne, ponoć, niby, według, "
        "zdaniem, zgodnie z",
        Role.WHOLLY: "w pełni, całkowicie, w całości, zupełnie, kompletnie",
        Role.AND: "i, oraz, a także",
        Role.OR: "lub, albo, czy też",
        Role.CONTRAST: "ale, lecz, tylko, a, ale też, ale także, natomiast, jednak, za to, zaś, "
        "tylko że",
        Role.CONDITION: "jeśli, jeżeli, gdyby, gdy tylko, jak tylko, o ile, dopóki, dopóki nie, "
        "chyba że, pod warunkiem, jakby",
        Role.PURPOSE: "żeby, aby, by, ażeby",
        Role.TIME: "gdy, kiedy, zanim, po tym jak, podczas gdy",
        Role.THAT: "że, iż",
        Role.RELATIVE: "który, która, które, którego, której, którą, którym, którzy",
        Role.LINK: "ponieważ, bo, więc, dlatego, choć, chociaż, gdyż",
        Role.WHETHER: "czy",
        Role.ASKING: "czy, kto, co, gdzie, dlaczego, jak, ile, kiedy, który, która, które",
        Role.SAYING: "powiedzieć, mówię, mówi, mówił, mówiła, powiedział, powiedziała, "
        "powiedziałem, powiedziałam, napisał, napisała, napisałem, napisałam, pisze, twierdzę, "
        "twierdzi, twierdził, twierdziła, brzmi, informuje, potwierdza, potwierdził, "
        "potwierdziła, potwierdzić",
        Role.ASSURANCE: "potwierdzam, mogę potwierdzić, miło mi, informuję, możemy potwierdzić, "
        "potwierdzamy, informujemy",
        Role.TRUE: "prawda, prawdą, prawdziwe",
        Role.UNTRUE: "nieprawda, nieprawdą, fałsz, fałszywe",
        Role.CORRECTION: "poprawka, sprostowanie, korekta, to był błąd, była to pomyłka, "
        "to była pomyłka, pomyliłem się, pomyliłam się",
        Role.ANSWER: "tak, nie, owszem",
        Role.TAG: "prawda, tak, nieprawdaż, czyż nie, nie",
        Role.AUXILIARY: "jest, są, był, była, było, były, został, została, zostało, zostały, "
        "zostać, być, zostali, byli",
        Role.ADVERB: "już, jeszcze, teraz, także, też, dotąd, do tej pory, właśnie, naprawdę, "
        "faktycznie, wcale, w ogóle, nawet, na razie, dziś, pomyślnie, ostatecznie, więc, sam",
        Role.SUBJECT: "ja, my, on, ona, ono, oni, pan, pani",
        Role.SPEAKER: "ja, my",
        Role.PREPOSITION: "w, z, do, na, od, bez, przy, za, dla",
        Role.CAPACITY: "zarezerwowany, zarezerwowana, zarezerwowane, zarezerwowani, zajęty, "
        "zajęta, zajęte, obłożony",
        Role.HARMLESS: "nie tylko, nie ma problemu, nic nie szkodzi, nie ma sprawy, "
        "nie ma za co, nic się nie stało",
        Role.ABBREVIATION: "np, ok, tzn, tj, itd, godz, ul, nr, dr, zł",
    },
)
