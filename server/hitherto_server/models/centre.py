"""Where a model's vectors crowd: some put every text in one corner, so that all seem alike.

The middle of ordinary texts is taken from each vector before it is normalised, and so are the
few directions in which the languages lie apart. Unrelated texts then have cosines near 0, of one
language or of two, as with a model that has no such corner, and one floor serves all models.
"""

# ruff: noqa: RUF001 - the letters of other scripts look like that

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.models.sample_texts import sample_texts
from hitherto_server.models.traits import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Callable

    from hitherto_server.models.traits import Role, Vector

LEAST_MEAN_COSINE = 0.2
"""Of texts about different things; a model below it has no corner worth leaving."""

LANGUAGES = 10
DIRECTIONS = 4
"""Of the 9 in which 10 languages can lie apart; with 6 or 9 the figures were the same."""

# the same six in each language, so that only the language differs between two sixths; what is
# measured elsewhere is not among them
TEXTS = """
The invoice totals differ by a cent after the currency change.
Why does the cache keep stale entries after a restart?
Translations are loaded from YAML files at build time.
Use feature flags for anything that touches checkout.
How do I run the linter on a single file?
The upload fails for names with spaces.
Die Rechnungssummen weichen nach dem Währungswechsel um einen Cent ab.
Warum behält der Cache alte Einträge nach einem Neustart?
Übersetzungen werden beim Bauen aus YAML-Dateien geladen.
Nimm Schalter für alles, was die Kasse berührt.
Wie prüfe ich eine einzelne Datei mit dem Linter?
Das Hochladen scheitert bei Namen mit Leerzeichen.
Les totaux des factures diffèrent d'un centime après le changement de devise.
Pourquoi le cache garde-t-il d'anciennes entrées après un redémarrage ?
Les traductions sont chargées depuis des fichiers YAML à la compilation.
Utilisez des drapeaux pour tout ce qui touche au paiement.
Comment lancer l'analyseur sur un seul fichier ?
L'envoi échoue pour les noms avec des espaces.
Los totales de las facturas difieren en un céntimo tras el cambio de moneda.
¿Por qué la caché conserva entradas antiguas tras reiniciar?
Las traducciones se cargan de archivos YAML al compilar.
Usa conmutadores para todo lo que toque el pago.
¿Cómo ejecuto el analizador en un solo archivo?
La subida falla con nombres que tienen espacios.
Суммы счетов расходятся на копейку после смены валюты.
Почему кэш хранит старые записи после перезапуска?
Переводы загружаются из файлов YAML при сборке.
Используйте флаги для всего, что касается оплаты.
Как проверить линтером один файл?
Загрузка не удаётся для имён с пробелами.
تختلف مجاميع الفواتير بسنت واحد بعد تغيير العملة.
لماذا يحتفظ التخزين المؤقت بمدخلات قديمة بعد إعادة التشغيل؟
تُحمَّل الترجمات من ملفات YAML وقت البناء.
استخدم مفاتيح الميزات لكل ما يمس الدفع.
كيف أشغل المدقق على ملف واحد؟
يفشل الرفع مع الأسماء التي فيها مسافات.
更换货币后发票总额相差一分。
为什么重启后缓存仍保留旧条目？
翻译在构建时从 YAML 文件加载。
凡是涉及结账的改动都要用功能开关。
怎样只对一个文件运行检查工具？
文件名带空格时上传失败。
通貨を変えた後、請求書の合計が一円ずれる。
再起動後もキャッシュに古い項目が残るのはなぜ？
翻訳はビルド時に YAML ファイルから読み込む。
会計に触れるものには機能フラグを使う。
一つのファイルだけリンターにかけるには？
空白を含む名前のアップロードは失敗する。
통화를 바꾼 뒤 청구서 합계가 일 센트 다르다.
재시작 후에도 캐시에 오래된 항목이 남는 이유는?
번역은 빌드할 때 YAML 파일에서 읽는다.
결제에 관련된 것은 기능 플래그를 사용한다.
파일 하나만 린터로 검사하려면 어떻게 하나요?
이름에 공백이 있으면 업로드가 실패한다.
ยอดรวมใบแจ้งหนี้ต่างกันหนึ่งเซ็นต์หลังเปลี่ยนสกุลเงิน
ทำไมแคชยังเก็บรายการเก่าหลังเริ่มใหม่
คำแปลโหลดจากไฟล์ YAML ตอนบิลด์
ใช้สวิตช์ฟีเจอร์กับทุกอย่างที่เกี่ยวกับการจ่ายเงิน
จะรันตัวตรวจโค้ดกับไฟล์เดียวได้อย่างไร
อัปโหลดล้มเหลวเมื่อชื่อมีช่องว่าง
"""


def texts_for(languages: tuple[str, ...]) -> list[str]:
    """Return the texts whose middle is taken; a model of English alone is measured in English."""
    if languages == ENGLISH:
        return sample_texts()[::10]
    return TEXTS.strip().splitlines()


def measure_frame(
    embed: Callable[[str, Role], Vector], role: Role, languages: tuple[str, ...]
) -> Vector | None:
    """Return the middle of a model's vectors and what tells languages apart, if they crowd."""
    import numpy as np

    vectors = np.stack([embed(text, role) for text in texts_for(languages)])
    middle: Vector = vectors.mean(axis=0).astype(np.float32)
    # of vectors of length 1 the middle's square is their mean cosine
    if float(middle @ middle) < LEAST_MEAN_COSINE:
        return None
    if languages == ENGLISH:
        return middle[np.newaxis]
    each = vectors.reshape(LANGUAGES, -1, vectors.shape[1]).mean(axis=1) - middle
    directions = np.linalg.svd(each, full_matrices=False)[2][:DIRECTIONS]
    frame: Vector = np.vstack([middle, directions]).astype(np.float32)
    return frame
