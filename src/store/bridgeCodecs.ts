import { type Decimal, formatDecimal } from '../bridge/decimal.ts'
import { chains, directions } from '../bridge/observation.ts'
import { evidenceSources, transferStates } from '../bridge/transfer.ts'
import { placeIn } from './compactCodecs.ts'
import { codec, oneOf } from './table.ts'

export const chain = oneOf(...chains)
export const direction = oneOf(...directions)
/** The same where rows are many. */
export const directionPlace = placeIn(directions)
export const evidenceSource = oneOf(...evidenceSources)
export const transferState = oneOf(...transferStates)

/** Token units, of any length: sums of amounts may be longer than one amount can be. */
export const decimal = codec({
  type: 'TEXT',
  expected: 'a decimal',
  read(cell) {
    const [, whole, fraction = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(String(cell)) ?? []
    return whole === undefined ? undefined : { digits: BigInt(`${whole}${fraction}`), scale: fraction.length }
  },
  write: (value: Decimal) => formatDecimal(value),
})
