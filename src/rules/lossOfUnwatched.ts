import type { Finding } from '../bridge/finding.ts'
import type { Judgement } from './kind.ts'

/** Of what the configuration names no more nobody knows whether it is well: the end of its alert is no good news. */
export function lossOfUnwatched(isWatched: (ended: Finding) => boolean): NonNullable<Judgement['lossOf']> {
  return (ended) => (isWatched(ended) ? null : 'it is not watched any more')
}
