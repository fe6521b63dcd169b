/**
 * What cannot be seen and can change what a reader believes to see: controls, all that Unicode lets a renderer leave
 * out (zero-width, soft hyphens, variation selectors, tags, Hangul fillers), marks of direction, separators of lines,
 * and annotations between lines.
 */
const invisible = String.raw`\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\ufff9-\ufffb`
const anyInvisible = new RegExp(`[${invisible}]`, 'gu')
const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
/** Printable ASCII without space at its ends: there is nothing to clean. */
const plain = /^(?:[!-~](?:[ -~]*[!-~])?)?$/
/** Not the ends of lines, and not the sequences that give a text its colour. */
const unsafeInTerminal = new RegExp(
  String.raw`\r(?!\n)|\u001b(?!\[[\d;]*m)|(?![\t\n\r\u001b])[${invisible}]`,
  'gu',
)

/**
 * Makes a string from outside safe to keep and to show: well-formed, NFC, one line, nothing invisible, at most
 * `maxLength` code points with `…` in place of what was cut. Escaping for a sink comes on top of it, in the sink.
 */
export function cleanText(text: string, maxLength = 64): string {
  if (text.length <= maxLength && plain.test(text)) return text
  // Cut before normalising: NFC over a string of hundreds of kilobytes is work that nobody will read.
  const isCut = text.length > maxLength * 8
  const rough = isCut ? text.slice(0, maxLength * 8) : text
  const clean = rough
    .toWellFormed()
    .replace(lineBreaks, ' ')
    .replace(anyInvisible, '')
    // Only now: what was between two characters may have kept them from becoming one.
    .normalize('NFC')
    .trim()
  const points = Array.from(clean)
  return isCut || points.length > maxLength ? `${points.slice(0, maxLength - 1).join('')}…` : clean
}

/**
 * A name that anybody may have chosen, in brackets that say so. Brackets inside become parentheses, and marks that would
 * be drawn over ours go: `[USDC] [x` cannot look like a listed symbol.
 * @example inBrackets('USD] Coin') // '[USD) Coin]'
 */
export function inBrackets(name: string, maxLength = 64): string {
  const inside = cleanText(name, maxLength)
    .replace(/^[\p{M}\s]+/u, '')
    .replace(/(?!\{)[\p{Ps}\u23a1-\u23a3]/gu, '(')
    .replace(/(?!\})[\p{Pe}\u23a4-\u23a6]/gu, ')')
  return `[${inside === '' ? 'unnamed token' : inside}]`
}

/** Text for a terminal or a log: what is invisible is written out as JSON would (`\u202e`), so that nothing is lost. */
export function escapeInvisible(text: string): string {
  return text.replace(unsafeInTerminal, (found) =>
    Array.from({ length: found.length }, (_, at) => escapeUnit(found.charCodeAt(at))).join(''),
  )
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
