"""Polish."""

from __future__ import annotations

from typing import Final

from oloproof.evaluation.claims.grammar import Grammar, Role

GRAMMAR: Final = Grammar(
    language="pl",
    letters=frozenset("ąćęłńśźż"),
    concord=True,
    negative_prefixes=("nie",),
    infinitive_endings=("ć",),
    other_endings=("ość",),
    participle_endings=(
        *("any", "ana", "ane", "ani", "ano", "ony", "ona", "one", "ono", "eni"),
        *("ęty", "ęta", "ęte", "yty", "yta", "yte", "arty", "arta", "arte", "łem", "łam"),
    ),
    conditional_endings=("łby", "łaby", "łoby", "łyby", "liby", "łbym", "łabym", "libyśmy"),
    phrases={
        Role.NOT: "nie, zamiast, ledwo",
        Role.NOTHING: "nic, niczego, niczym, nikt, nikogo, żaden, żadna, żadne, żadnego, żadnej, "
        "nigdzie, w żadnym razie",
        Role.NEITHER: "ani",
        Role.ALMOST: "prawie, niemal, niemalże, praktycznie, omal nie, o mało nie",
        Role.MODAL: "będę, będzie, będą, będziemy, zostanie, zostaną, może, mogą, mogę, możemy, "
        "można, trzeba, należy, powinien, powinna, powinno, powinny, musi, muszą, "
        "muszę, chcę, chce, chciał, chciała, chciałem, chciałam, miał zostać, miała "
        "zostać, miało zostać, miały zostać, miał być, miała być, miało być, miały być, "
        "ma być, ma zostać, mają być, mają zostać, by, niech, prosił, prosiła, "
        "proszono, wolno, nie wolno, zamierzam, planuję, spróbuję, da się",
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
        "faktycznie, wcale, w ogóle, nawet, na razie, dziś, pomyślnie, ostatecznie, "
        "więc, sam, niestety, się",
        Role.SUBJECT: "ja, my, on, ona, ono, oni, pan, pani",
        Role.SPEAKER: "ja, my",
        Role.PREPOSITION: "w, z, do, na, od, bez, przy, za, dla",
        Role.CAPACITY: "zarezerwowany, zarezerwowana, zarezerwowane, zarezerwowani, zajęty, "
        "zajęta, zajęte, obłożony",
        Role.HARMLESS: "nie tylko, nie ma problemu, nic nie szkodzi, nie ma sprawy, nie ma za co, "
        "nic się nie stało, bez wyjątku, bez wyjątków, zgodnie z prośbą, zgodnie z życzeniem, "
        "zgodnie z pana prośbą, zgodnie z pani prośbą, zgodnie z pana życzeniem, zgodnie z pani "
        "życzeniem, zgodnie z państwa prośbą",
        Role.ABBREVIATION: "np, ok, tzn, tj, itd, godz, ul, nr, dr, zł",
        Role.FAILED: "nie udało, nie udała, nie udał, nie udały, nie udało mi się, nie udało nam "
        "się, nie powiodła, nie powiodło, nie powiódł, nie powiodły, niepowodzeniem, "
        "fiaskiem, się błędem, nie doszła do skutku, nie doszło do skutku, nie doszedł "
        "do skutku, nie przeszła, nie przeszedł, nie przeszło, odrzucona, odrzucony, "
        "odrzucone, nie zdołałem, nie zdołałam, nie zdążyłem, nie zdążyłam, "
        "zapomniałem, zapomniałam",
        Role.VAIN: "nieudana, nieudany, nieudane, nieudaną, nieudanej, nieudanego, nieudanym, "
        "nieudanych, odrzucona, odrzucony, odrzucone, niepowodzenie, fiasko",
        Role.MANAGED: "udało, zdołałem, zdołałam, zdążyłem, zdążyłam",
        Role.AIM: "w celu, celem, do",
        Role.GENERIC: "trwa, zajmuje, kosztuje, wymaga, jest możliwe, jest możliwa, jest możliwy, "
        "nie jest możliwe, nie jest możliwa, nie jest możliwy, jest niemożliwe, jest niemożliwa, "
        "jest bezpłatne, jest bezpłatna, jest bezpłatny, jest darmowe, jest darmowa, jest "
        "konieczne, nie jest konieczne, nie jest potrzebne",
        Role.EXCEPT: "z wyjątkiem, za wyjątkiem, z jednym wyjątkiem, wyjąwszy, wyłączając",
        Role.BESIDES: "oprócz, prócz, poza, oprócz tego, prócz tego, poza tym",
        Role.ALSO: "też, także, również, oprócz tego, prócz tego, poza tym",
        Role.ALL: "wszystko, wszystkie, wszyscy, wszystkich, wszystkim, wszystkiego, każdy, "
        "każda, każde, każdą, każdego, cały, cała, całe, całość",
    },
)
