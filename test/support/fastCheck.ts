// oxlint-disable-next-line no-restricted-imports -- here is where the seed is set
import * as fc from 'fast-check'

/** What the gate runs every property with: a seed that a newcomer draws by chance tells him of our mistakes, not of his. */
const gateSeed = 20_261_122

const isFresh = process.env['PROPERTY_SEEDS'] === 'fresh'
const seed = isFresh ? Math.trunc(Math.random() * 0x7fff_ffff) : gateSeed

/**
 * How often a property is run: with a fresh seed so often; in the gate, whose seed is always the same, a quarter of that, and
 * whole with a seed that once found something.
 */
export function timesOf(all: number, of = gateSeed): number {
  return isFresh || of !== gateSeed ? all : Math.ceil(all / 4)
}

// A property that fails prints its seed; `seed` in the parameters of a single one goes before this.
fc.configureGlobal({ seed, numRuns: timesOf(100) })

/**
 * The seeds to run a property with: in the gate the one of all and those that once found something, so that no
 * counterexample is lost; with `PROPERTY_SEEDS=fresh` a new one.
 */
export function seeds(...found: readonly number[]): readonly number[] {
  return isFresh ? [seed] : [seed, ...found]
}

export { fc }
