import type { YamlMask } from '../lib/maskSecrets.ts'

/**
 * Where secrets stand in `spanwatch.yaml`. Around them everything is covered but what is known to be harmless, so that
 * a secret behind a mistyped key stays covered too.
 */
export const secretPlaces: YamlMask = {
  keys: ['key', 'secret', 'passphrase', 'password', 'smtp', 'token', 'url'],
  isSecret(keys) {
    const [section, second] = keys
    const last = keys.at(-1) ?? ''
    if (section === 'explorer') return second === 'auth' && last !== 'signer'
    if (section === 'channels') return keys.length > 2 && !['type', 'from', 'to'].includes(last)
    if (section === 'http') return keys.length > 1 && last !== 'listen' && last !== 'publicUrl'
    if (section === 'heartbeat') return keys.length > 1 && last !== 'every'
    return (section === 'preconf' || section === 'canonical') && last === 'url'
  },
}
