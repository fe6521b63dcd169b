/** The first byte: a form that is not known is refused, not guessed. */
export const form = 1

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
/** As many as there is room for below what came before: 96. */
export const firstWord = 0x20
export const firstEarlier = 0x80
export const earlierCount = 0x80

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
