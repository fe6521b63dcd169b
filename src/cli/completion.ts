import { type CommandNode, listNodes, type OptionNode } from './commandTree.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** A script that completes commands, options and known values, with nothing of ours started at a key press. */
export function toCompletion(root: CommandNode, shell: Shell): string {
  switch (shell) {
    case 'bash':
      return toBash(root)
    case 'zsh':
      return toZsh(root)
    case 'fish':
      return toFish(root)
  }
}

/** In single quotes, for any of the shells. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function isGroup(node: CommandNode): boolean {
  return node.commands.length > 0
}

const optionNames = (node: CommandNode) => node.options.flatMap(({ names }) => names)

/** The words typed so far choose a command; what it takes is offered. */
function toBash(root: CommandNode): string {
  const nodes = listNodes(root)
  const key = ({ path }: CommandNode) => quote(path.join(' '))
  const offers = nodes.map((node) => {
    const words = [...node.commands.map(({ path }) => path.at(-1) ?? ''), ...optionNames(node)]
    return `    ${key(node)}) words=${quote(words.join(' '))} ;;\n`
  })
  const values = nodes.flatMap((node) => node.options.flatMap((option) => bashValues(node, option)))
  const groups = nodes.filter(isGroup).map((node) => node.commands.map(({ path }) => quote(path.join(' '))))
  return `# bash completion of spanwatch: source <(spanwatch completion bash)
_spanwatch() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command= word words=
  local at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    case "\${command:+$command }$word" in
      ${groups.flat().join(' | ')}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command:$previous" in
${values.join('')}  esac
  case "$command" in
${offers.join('')}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _spanwatch spanwatch
`
}

function bashValues(node: CommandNode, option: OptionNode): string[] {
  if (option.takes === null) return []
  const words = option.names.map((name) => quote(`${node.path.join(' ')}:${name}`)).join(' | ')
  const reply =
    option.choices.length > 0
      ? `COMPREPLY=($(compgen -W ${quote(option.choices.join(' '))} -- "$current")); return`
      : option.takes === 'text'
        ? 'COMPREPLY=(); compopt +o default +o bashdefault 2>/dev/null; return'
        : 'COMPREPLY=(); return'
  return [`    ${words}) ${reply} ;;\n`]
}

/** A function a command; `_arguments` knows the rest. */
function toZsh(root: CommandNode): string {
  const functions = listNodes(root).map((node) => (isGroup(node) ? zshGroup(node) : zshLeaf(node)))
  return `#compdef spanwatch
# zsh completion of spanwatch: source <(spanwatch completion zsh), after compinit
${functions.join('\n')}
compdef _spanwatch spanwatch
`
}

const zshName = ({ path }: CommandNode) => ['_spanwatch', ...path].join('_').replaceAll('-', '_')

function zshGroup(node: CommandNode): string {
  const commands = node.commands.map(
    ({ path, summary }) => `    ${quote(`${path.at(-1)}:${summary.replaceAll(':', '\\:')}`)}\n`,
  )
  const cases = node.commands.map((below) => `        ${path(below)}) ${zshName(below)} ;;\n`)
  return `${zshName(node)}() {
  local -a commands
  local line state
  commands=(
${commands.join('')}  )
  _arguments -C ${zshOptions(node)}'1: :->command' '*:: :->rest'
  case $state in
    command) _describe command commands ;;
    rest)
      case $line[1] in
${cases.join('')}      esac ;;
  esac
}
`
}

const path = (node: CommandNode) => node.path.at(-1) ?? ''

function zshLeaf(node: CommandNode): string {
  return `${zshName(node)}() {
  _arguments ${zshOptions(node)}'*: :_files'
}
`
}

function zshOptions(node: CommandNode): string {
  return node.options
    .flatMap((option) => option.names.map((name) => `${quote(zshOption(option, name))} `))
    .join('')
}

function zshOption({ summary, takes, choices }: OptionNode, name: string): string {
  const about = summary.replaceAll(/[[\]:\\]/g, (sign) => `\\${sign}`)
  const value =
    takes === null
      ? ''
      : choices.length > 0
        ? `:value:(${choices.join(' ')})`
        : takes === 'text'
          ? ':value: '
          : `:${takes}:_files${takes === 'folder' ? ' -/' : ''}`
  return `${name}[${about}]${value}`
}

function toFish(root: CommandNode): string {
  const lines = listNodes(root).flatMap((node) => [...fishCommands(node), ...fishOptions(node)])
  return `# fish completion of spanwatch: spanwatch completion fish | source
function __spanwatch_at
    set -l words (commandline -opc)
    set -l given
    for word in $words[2..-1]
        string match -q -- '-*' $word; or set -a given $word
    end
    test (count $given) -ge (count $argv); or return 1
    test (count $argv) -eq 0; or test "$given[1..$(count $argv)]" = "$argv"
end
function __spanwatch_below
    __spanwatch_at $argv; or return 1
    set -l words (commandline -opc)
    set -l given
    for word in $words[2..-1]
        string match -q -- '-*' $word; or set -a given $word
    end
    test (count $given) -eq (count $argv)
end
${lines.join('')}`
}

function fishCommands(node: CommandNode): string[] {
  const condition = quote(['__spanwatch_below', ...node.path].join(' '))
  return node.commands.map(
    (below) => `complete -c spanwatch -n ${condition} -f -a ${path(below)} -d ${quote(below.summary)}\n`,
  )
}

function fishOptions(node: CommandNode): string[] {
  const condition = quote(['__spanwatch_at', ...node.path].join(' '))
  return node.options.map((option) => {
    const names = option.names.map((name) =>
      name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
    )
    const choices = option.choices.length > 0 ? ` -a ${quote(option.choices.join(' '))}` : ''
    const value = option.takes === null ? '' : option.takes === 'text' ? ' -x' : ' -r'
    return `complete -c spanwatch -n ${condition} ${names.join(' ')}${value}${choices} -d ${quote(option.summary)}\n`
  })
}
