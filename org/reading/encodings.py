"""The bytes of a text file -> its text, whatever encoding it was saved in: by its byte order mark, as UTF-8, else in
the encoding in which its letters look most like words."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise

from org.reading.problems import Problem, error, warning

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_SAMPLE = 20_000
"""Bytes that tell the encoding, of as many lines at most."""
_HARDLY = 0.02
"""Likeness that tells nothing: of one letter alone, how often it is in this language or that."""
ALIKE = 0.6
"""The least likeness of a text to its encoding. Charts of a few names have 0.7 and more, in a wrong encoding rarely."""

# The letters of each language, without those from A to Z, a word each, the most frequent first.
_WESTERN = "éèàêçôûîùâëïœü üäöß äöåé øåæéö áíðéóöýúþæ óíáéñúü ãçáéíóêâõúàôü àèùìòé óàíèéçúïòüñ äõüöšž ëéïèöüó"
_CENTRAL = "łóęąśżćńź íáéřěýžčšůúťďňó áíéýžčšúťľôňďĺŕäó áéőóöíüúű ăţîşâ čšžćđ üäöß"
_TURKISH = "ıüşöğçİâî"
_BALTIC = "ųėšįžūčąę āīšēņļžūčķģ äõüöšž"
_RUSSIAN = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё"
_CYRILLIC = f"{_RUSSIAN} оаинвіетрсклдпмуьзягйбчхцїжєюшщфґў"
_GREEK = "αοιετσνηυρπκμλςίόάήέύώωδγχθφβξζψϊΐ"
_HEBREW = "יוהלרתמאבשנדחקפעםטכגןסצזךףץ״׳־"
_ARABIC = "اليمنوترةبعدسهقفحجكشىطصخءأذضغئزثإظآؤًٌٍَُِّْ،؛؟ـپچژگ"
_THAI = "านรกอเงมวยลตสทหคดพปบัี่ิ้ะ์แชขจใไ็ูุถผธโซณฝฟศษญภฐฎฏฑฒฆฌฉฬฮฤๆฯำึื๊๋"
_KANA = "".join(map(chr, [*range(0x3041, 0x3094), *range(0x30A1, 0x30F7)])) + "ー々〇"
# Three hundred of each that stand in the names of units, or anywhere.
_SIMPLIFIED = (
    "监督审计财司处室厅科组队站所署股课董事秘书勤保障营销售购采仓储物流客户服务质量检测验安全环境法律合规风险投资"
    "融证券银行信贷房产档案纪党群工会妇联宣传策划公关品牌媒体网络软硬件开发运维试数据云智慧校园教研图馆医护药剂诊"
    "急症儿骨眼耳鼻喉皮肤肿瘤麻醉后基建招聘培训薪酬绩效福利分厂店铺区域华东南西北上海京广州深圳杭武汉成都重庆津国"
    "际作交港澳台侨农村镇乡街道居委社林渔牧业旅游育卫健民宗消防救援应指挥中心办总经理助副主任局长部门名称负责人类"
    "型简描述编号邮箱代码姓级单位的一是在不了有和这大为个我以要他时来用们生到地于出就对可年动同也能下过子说种面而"
    "方多定学得十三之进着等度家电力里如水化高自二起小现实加两制机"
)
_TRADITIONAL = (
    "海山化市區縣政府院局處課組科室司署廳會員委董事監察人總經副秘書財務資源行銷企劃業品質管理研發中心訊稽核策略客"
    "戶服採購物流生產環境安全衛勞動教學輔導圖館系所外語檔案醫療護藥劑門診急內兒婦公共關係廣數據析分北高雄台臺南新"
    "竹桃園福社交通水利農文觀光傳播警消防稅建設計畫工程技術支援專審法規制主任長負責名稱單位簡類型說明代碼信箱姓上"
    "級層基金保險銀證券投的一是不我有大在了到要可以這個你好為來就也用能如時沒他看那問提下過請天們多麼小想得之還電"
    "出對都機自後子而站去只家知國很成章何同道地無然但當於嗎本現年前真最和因果定意情點題其方清樣些吧三此作者什謝日"
    "正華話開實再城愛與二比面又車力或種像應女手打已次太己路起相間"
)
_KANJI = (
    "社長室人事部経理法務総課営業本東日開発推進子未来市品質保証研究情報広企画監査役会取締物流製造購買安全衛生委員"
    "海外知的財産教学支援図書館附属病院看護薬剤救急内科小児阪店京札幌所民税環境政策上下水道局消防農林観光振興危機"
    "管計お客様相談名称親組織責任者種別略説明門係班州区県町村国際交通設備建築土木住宅福祉健康介育高等校文化芸術体"
    "地域商工労働金融資材料技信放送新聞出版印刷調達運輸航空鉄車両電力気熱食医療検試験統括秘渉一年大十二中三同時自"
    "行見月分議後前連五間対党合方四定今回場九入選立手米問代実円関決動目表戦最言氏現田当八六約主題首意不作性要用制"
    "治度強七成期公野協都和以平加山思家話世受領多続正改数記女初北"
)
_HANGUL = (
    "기해사라나이대인부장팀실과국처메드코설칭약형유자임책위상명주제남경북전충원강산울광천서치민세통교건림축농도수"
    "하방소육체관화문외내학의급응호간병생지복환안스비객고템시보정홍감무법총재계회류물매구리질품연발개팅케마업영략"
    "획괄점본터센청희흥휴후효황확혼혜협현험향항합필피프표포폐평편패팔판파특투퇴토태키크카친층측취추최촌초철창참찰"
    "착차집증즈준죄존족져접저쟁잡잘작있음월움욕왕완온예염열여에없엄얼야액애앞알악씨습승술송손속석색새살브불분별변"
    "벌백배밖미못목머망말립름률례령력램르레러려또두년네너된되것했았람때까니트데히바날활종타입독달역양김권직들결운"
    "출심당금행단우중할진오였용식반모선요면신게거공어으동적만그성"
)
_QUOTES = "’‘“”„–"
_SIGNS = "«»—…°ºª№§©®™€½¿¡、。「」（）・《》：，·"
_WORD = re.compile("[A-Za-z\x80-\U0010ffff]+")
_APOSTROPHE = re.compile(r"\b\w’|’s\b")
_THAI_LEADS, _THAI_MARKS = "เแโใไ", "ัิีึืฺุู็่้๊๋์ํ๎ำ"


@dataclass(frozen=True, slots=True)
class Encoding:
    """An encoding as people call it, the letters of each language that it is used for, and of which kind they are.

    `plane` are the codes, from the first up to the last, of all letters that its standard has for everyday use.
    """

    label: str
    letters: str
    kind: str = "alphabet"
    plane: tuple[int, int] = (0, 0)


ENCODINGS = {
    "cp1252": Encoding("Windows-1252 (Western European)", _WESTERN, "latin"),
    "cp1254": Encoding("Windows-1254 (Turkish)", _TURKISH, "latin"),
    "cp1250": Encoding("Windows-1250 (Central European)", _CENTRAL, "latin"),
    "cp1257": Encoding("Windows-1257 (Baltic)", _BALTIC, "latin"),
    "cp1255": Encoding("Windows-1255 (Hebrew)", _HEBREW),
    "cp1251": Encoding("Windows-1251 (Cyrillic)", _CYRILLIC),
    "cp1253": Encoding("Windows-1253 (Greek)", _GREEK),
    "cp1256": Encoding("Windows-1256 (Arabic)", _ARABIC),
    "gb18030": Encoding("GB18030, GBK (Simplified Chinese)", _SIMPLIFIED, "syllables", (0xB0A1, 0xD7F9)),
    "big5hkscs": Encoding("Big5 (Traditional Chinese)", _TRADITIONAL, "syllables", (0xA440, 0xC67E)),
    "cp932": Encoding("Shift-JIS (Japanese)", _KANJI + _KANA, "syllables", (0x889F, 0x9872)),
    "cp949": Encoding("EUC-KR (Korean)", _HANGUL, "syllables", (0xB0A1, 0xC8FE)),
    "cp874": Encoding("Windows-874 (Thai)", _THAI, "thai"),
    "mac_roman": Encoding("Mac Roman (Western European)", _WESTERN, "latin"),
    "cp850": Encoding("DOS 850 (Western European)", _WESTERN, "latin"),
    "koi8_r": Encoding("KOI8-R (Russian)", _RUSSIAN),
    "cp866": Encoding("DOS 866 (Russian)", _RUSSIAN),
    "iso8859_6": Encoding("ISO 8859-6 (Arabic)", _ARABIC),
    "iso8859_2": Encoding("ISO 8859-2 (Central European)", _CENTRAL, "latin"),
    "cp852": Encoding("DOS 852 (Central European)", _CENTRAL, "latin"),
    "euc_jp": Encoding("EUC-JP (Japanese)", _KANJI + _KANA, "syllables", (0xB0A1, 0xCFD3)),
}
"""By the name of the codec, the more usual first."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and the codec that it was read with.

    `others` are the numbers, from 1, of the lines that are no UTF-8, and `mixed` says that there are lines in UTF-8
    beside them. `damaged` are those of them with bytes that their encoding does not have either. `is_sure` says that a
    person chose the encoding, `is_alike` that its letters make words.
    """

    text: str
    encoding: str = "utf-8"
    others: frozenset[int] = frozenset()
    damaged: frozenset[int] = frozenset()
    mixed: bool = False
    is_sure: bool = True
    is_alike: bool = True


def misread(text: Text, row: int, lines: Iterable[int], *, again: bool = False) -> Problem | None:
    """What a person should know about how the row in these lines was read; of the whole file, not `again`."""
    name = label(text.encoding)
    if text.others.isdisjoint(lines) or (again and not text.is_alike):
        return None
    if not text.is_alike:
        message = f"The encoding of the file cannot be told: even in the likeliest, {name}, its letters make no words."
        hint = "Choose the encoding (in the terminal: --encoding), or save the file as CSV UTF-8."
        return error(row, message, hint)
    if not text.damaged.isdisjoint(lines):
        hint = "Correct its letters in the program that the file comes from, or choose another encoding."
        return error(row, f"Some of its bytes do not belong to {name}.", hint)
    if text.is_sure or (again and not text.mixed):
        return None
    if text.mixed:
        message = f"Some letters are not in UTF-8, as others are; they were read as {name}."
        return warning(row, message, "Check its letters; better save the whole file as CSV UTF-8.")
    hint = "Check the letters beyond A to Z. If they are wrong, choose the encoding (in the terminal: --encoding)."
    return warning(row, f"The file is not in UTF-8; it was read as {name}.", hint)


def label(codec: str) -> str:
    """What people call an encoding."""
    return ENCODINGS[codec].label if codec in ENCODINGS else codec.upper()


def decode(content: bytes, encoding: str = "") -> Text | Problem:
    """The text in a chosen encoding; without a choice by its byte order mark, as UTF-16 without one, as UTF-8, or last
    in the encoding in which its letters look most like words."""
    if encoding:
        if encoding not in ENCODINGS:
            return error(0, f"There is no encoding {encoding[:40]!r}.", f"Choose among {', '.join(ENCODINGS)}.")
        return _whole(_by_lines(content.splitlines(keepends=True), encoding))
    mark, codec = next(((mark, codec) for mark, codec in _MARKS if content.startswith(mark)), (b"", "utf-8"))
    content = content[len(mark) :]
    if not mark and b"\0" in content[:4096]:
        even, odd = content[:4096:2].count(0), content[1:4096:2].count(0)
        codec = "utf-16-le" if odd > 4 * even else "utf-16-be" if even > 4 * odd else "utf-8"
    try:
        return _whole(Text(content.decode(codec), codec))
    except UnicodeDecodeError:
        if codec != "utf-8":
            return error(0, f"The file begins as {codec[:6].upper()} but is damaged.", "Save it again as CSV UTF-8.")
    return _whole(_by_lines(content.splitlines(keepends=True)))


def _whole(text: Text) -> Text | Problem:
    return error(0, "The file is not text.", "Export the chart as a CSV file.") if "\0" in text.text else text


def _by_lines(lines: Sequence[bytes], chosen: str = "") -> Text:
    """Line by line: one that is no UTF-8 is all in the encoding, and so is one that passes for UTF-8 by accident."""
    unicode = [None if chosen and not line.isascii() else _strict(line, "utf-8") for line in lines]
    rest = (line for line, text in zip(lines, unicode, strict=True) if text is None)
    codec, is_alike = chosen, True
    if not chosen:
        sample = b"".join(islice(rest, _SAMPLE))
        found = {codec: _likeness(sample, codec) for codec in ENCODINGS}
        best = max(found.values())
        codec, is_alike = next(codec for codec, value in found.items() if value >= best - _HARDLY), best >= ALIKE
    may_pass = ENCODINGS[codec].kind in ("syllables", "thai")
    read: list[str] = []
    others, damaged, mixed = set(), set(), False
    for number, (line, text) in enumerate(zip(lines, unicode, strict=True), start=1):
        if text is None or (may_pass and not line.isascii() and _likeness(line, codec) >= ALIKE):
            others.add(number)
            text = _strict(line, codec)
            if text is None:
                damaged.add(number)
                text = line.decode(codec, "replace")
        else:
            mixed = mixed or not line.isascii()
        read.append(text)
    return Text("".join(read), codec, frozenset(others), frozenset(damaged), mixed, bool(chosen), is_alike)


def _likeness(content: bytes, codec: str) -> float:
    """How much the beginning of the bytes looks like words in an encoding; what is not in it speaks against it, but for
    what the sample breaks off in the middle of."""
    return likeness(getincrementaldecoder(codec)("replace").decode(content[:_SAMPLE]), codec)


def _strict(line: bytes, codec: str) -> str | None:
    try:
        return line.decode(codec)
    except UnicodeDecodeError:
        return None


def called(name: str) -> str:
    """The codec of the encoding that goes by a name, or by a part of its label that no other has; "" for none."""
    asked = _plain(name)
    found = [codec for codec, encoding in ENCODINGS.items() if asked and asked in _plain(encoding.label)]
    return name if name in ENCODINGS else found[0] if len(found) == 1 else ""


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def likeness(text: str, codec: str) -> float:
    """How much the letters beyond ASCII look like words of the encoding that they were read in: 1 at most, may be far
    below 0, and 0 where there are none."""
    kind = ENCODINGS[codec].kind
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    counts = Counter(sign for word in words for sign in word if sign > "\x7f")
    if not counts:
        return 0.0
    weights = [
        sum(count * language.get(sign, -1.0 if sign.isalpha() else -2.5) for sign, count in counts.items())
        for language in _languages(codec)
    ]
    score = (max(weights) - sum(_strangeness(word, kind) for word in words)) / counts.total()
    # Names begin with capitals, where there are capitals.
    return score - 0.2 * (kind == "alphabet" and all(map(str.islower, counts)))


def _strangeness(word: str, kind: str) -> float:
    """What in the order of the letters speaks against the word."""
    strange = 0.0
    high = [sign for sign in word if sign > "\x7f"]
    if kind == "latin":
        # Accented letters stand alone; those of other scripts in runs. No sign stands inside a word.
        strange += len(high) if len(high) > 3 and len(high) > 0.6 * len(word) else 0
        strange += 0.5 * (word.count("’") - len(_APOSTROPHE.findall(word)))
        inside = zip(word, word[1:], word[2:], strict=False)
        strange += sum(
            2
            for before, sign, after in inside
            if sign > "\x7f" and not sign.isalpha() and sign not in "’·" and before.isalpha() and after.isalpha()
        )
    elif kind == "alphabet":
        strange += len(word) - len(high)
    else:  # IT部 is a word, Direcci溶 is none
        small = sum("a" <= sign <= "z" for sign in word)
        strange += small if small > len(high) else 0
    if kind in ("latin", "alphabet") and any(map(str.islower, word)):
        strange += 1.5 * sum(
            after.isupper() and (after > "\x7f" or (before > "\x7f" and before.islower()))
            for before, after in pairwise(word)
        )
    if kind == "thai":
        for before, after in pairwise(f" {word} "):
            strange += after in _THAI_MARKS and not "ก" <= before <= "ฮ" and before not in _THAI_MARKS
            strange += before in _THAI_LEADS and not "ก" <= after <= "ฮ"
    return strange


@cache
def _languages(codec: str) -> list[Mapping[str, float]]:
    """For each language of an encoding, what each letter speaks for it: 1 at most, and less where only another language
    has the letter. One that is not named speaks against it."""
    encoding = ENCODINGS[codec]
    first, last = encoding.plane
    codes = [code.to_bytes(2, "big") for code in range(first, last) if code & 0xFF >= first & 0xFF]
    any_has = dict.fromkeys((code.decode(codec, "ignore") for code in codes), 0.5)
    any_has |= dict.fromkeys(_QUOTES, 1.0) | dict.fromkeys(_SIGNS, 0.7)
    any_has |= _weighed(encoding.letters, 0.5, 0.5)
    rarest = {"latin": 0.8, "syllables": 1.0}.get(encoding.kind, 0.4)
    return [any_has | _weighed(letters, 1.0, rarest) for letters in encoding.letters.split()]


def _weighed(letters: str, first: float, last: float) -> dict[str, float]:
    """A weight for each letter, from that of the first to that of the last; a capital of Latin weighs a little less."""
    falling = [(letter, first - (first - last) * place / len(letters)) for place, letter in enumerate(letters)]
    return {letter.upper(): weight - 0.1 * (letter < "\u0250") for letter, weight in falling} | dict(falling)
