const WORD = /[\p{L}\p{N}]+/gu;

/** Words that every text has, so that having them in common says nothing. */
const COMMON = new Set(
  `a about after all also an and any are as at be been before but by can do does each for from has have if in into is it its
   no not of on one only or other so such than that the their them then there these they this to up was were what when where
   which who will with you your`.split(/\s+/),
);

/** The words of a text that tell what it is about, in lower case, in their order, each as often as it is there. */
export function wordsOf(text: string): string[] {
  const words = text.normalize("NFC").toLowerCase().match(WORD) ?? [];
  return words.filter((word) => !COMMON.has(word));
}
