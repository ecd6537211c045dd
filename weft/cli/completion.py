"""shell completion: the script for bash, zsh or fish that completes commands, options and files

usage: weft completion bash | zsh | fish

  bash    weft completion bash > ~/.local/share/bash-completion/completions/weft
  zsh     weft completion zsh > ~/.zfunc/_weft        (with fpath+=~/.zfunc before compinit in ~/.zshrc)
  fish    weft completion fish > ~/.config/fish/completions/weft.fish

for this shell only: source <(weft completion bash), or weft completion fish | source
"""
import sys

from weft.cli.main import commands, module_of

SHELLS = ("bash", "zsh", "fish")
OPTIONS = ("--help",)
WORDS = SHELLS              # what may stand after the command, where it isn't a file


def run(arguments):
    """Print the script for a shell."""
    if arguments and arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    if len(arguments) != 1 or arguments[0] not in SHELLS:
        given = f"not {' '.join(arguments)}" if arguments else "none was given"
        print(f"weft completion: it takes one of {', '.join(SHELLS)}; {given}\n"
              f"  fix: `weft completion --help` says where the script goes", file=sys.stderr)
        return 2
    print({"bash": bash, "zsh": zsh, "fish": fish}[arguments[0]]())
    return 0


def known():
    """(command, its sentence, options, words) of all commands, as their modules tell."""
    for name in commands():
        module = module_of(name)
        yield name, module.__doc__.splitlines()[0], module.OPTIONS, getattr(module, "WORDS", ())


def bash():
    """Words from the commands, then a command's options, else files."""
    cases = "\n".join(f'    {name}) words="{" ".join((*options, *words))}" ;;' for name, _, options, words in known())
    return f"""_weft() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{' '.join(commands())} --help --version" -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [ "${{#COMPREPLY[@]}}" -eq 0 ]; then compopt -o default 2>/dev/null; fi
}}
complete -F _weft weft"""


def zsh():
    """The same with the sentences beside the commands."""
    listed = "\n".join(f"      {quoted(f'{name}:{said}')}" for name, said, _, _ in known())
    cases = "\n".join(f"    {name}) compadd -- {' '.join((*options, *words))} ;;"
                      for name, _, options, words in known())
    return f"""#compdef weft
_weft() {{
  if (( CURRENT == 2 )); then
    local -a found
    found=(
{listed}
    )
    _describe 'command' found
    return
  fi
  case $words[2] in
{cases}
  esac
  _files
}}
if [ "$funcstack[1]" = "_weft" ]; then _weft "$@"; else compdef _weft weft; fi"""


def fish():
    """A line for each command and option."""
    first = "__fish_use_subcommand"
    lines = [f"complete -c weft -n {first} -f -a {name} -d {quoted(said)}" for name, said, _, _ in known()]
    lines += [f"complete -c weft -n {first} -l {name}" for name in ("help", "version")]
    for name, _, options, words in known():
        inside = f"'__fish_seen_subcommand_from {name}'"
        lines += [f"complete -c weft -n {inside} -l {option[2:]}" for option in options]
        lines += [f"complete -c weft -n {inside} -f -a '{' '.join(words)}'"] if words else []
    return "\n".join(lines)


def quoted(text):
    """A text as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"
