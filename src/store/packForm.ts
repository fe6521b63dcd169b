/** The first byte: a form that is not known is refused, not guessed. */
export const form = 1
/** The same, and what only rows have that are packed with `Names`. */
export const rowForm = 2
/** The same with times that whoever reads it has at hand. */
export const timedForm = 3

export const tag = {
  null: 0x00,
  true: 0x01,
  false: 0x02,
  whole: 0x03,
  negative: 0x04,
  float: 0x05,
  text: 0x06,
  hex: 0x07,
  digits: 0x08,
  decimal: 0x09,
  json: 0x0a,
  list: 0x0b,
  object: 0x0c,
  earlier: 0x0d,
  time: 0x0e,
  timeBack: 0x0f,
  halves: 0x10,
} as const
/** Behind the tags, a byte each: small numbers, words, and texts that came before. */
export const firstSmall = 0x11
export const smallCount = 0x0f
/** As many as there is room for below the shapes: 80. */
export const firstWord = 0x20
export const firstEarlier = 0x80
export const earlierCount = 0x80

/** In the form of rows alone. */
export const rowTag = {
  /** An amount in base units, so many digits longer than the amount before. */
  raised: 0x7c,
  /** An amount with a point, so many digits behind it of the base units before. */
  lowered: 0x7d,
  /** The whole number that was written last. */
  again: 0x7e,
  /** A text by its number in the table `names`. */
  name: 0x7f,
} as const
/** Objects by their members' names: as many as there is room for below what follows, 8. Only ever added to. */
export const firstShape = 0x70
/** In the form with known times, these by their places: four. */
export const firstKnownTime = 0x78
export const shapes: readonly (readonly string[])[] = [
  ['token', 'from', 'to', 'amountRaw', 'amount', 'tokenId'],
  ['token', 'from', 'to', 'amount', 'amountRaw', 'tokenId'],
  ['moves', 'height'],
  ['moves', 'height', 'time'],
  ['amountRaw', 'amount', 'height', 'time', 'actionType', 'action'],
  ['type', 'token', 'amount', 'destination'],
  ['s'],
  ['s', 'd'],
]

/** Texts that come back in many rows, as rows name them (store/names.ts). */
export interface Names {
  /** Undefined for a text without one. */
  numberOf(name: string): number | undefined
  nameOf(number: number): string | undefined
}

/** Texts that come again and again. Only ever added to: where a word stands is what is stored. */
export const words: readonly string[] = [
  '',
  'E3',
  'E4',
  'E12',
  'chain',
  'MainToZone',
  'ZoneToMain',
  'Deposit',
  'Withdraw',
  'success',
  'failed',
  'unknown',
  'absent',
  'ERC20',
  'ERC721',
  'ERC1155',
  'moves',
  'token',
  'from',
  'to',
  'amountRaw',
  'amount',
  'tokenId',
  'height',
  'time',
  'actionType',
  'action',
  'deposit',
  'withdraw',
  'type',
  'destination',
  'errorMessage',
  'whole',
  'reads',
  'unasked',
  'paidIn',
  'recipient',
  'main',
  'zone',
  'E9',
  'E13',
  'E15',
  'canonical',
  'zoneRpc',
  '0x0000000000000000000000000000000000000000',
  'batch',
]

/** Shorter texts are not worth a place among those that came before. */
export const leastEarlier = 3

export type Encoding = 'utf8' | 'utf16le' | 'hex'
