#compdef emendo
# Completion of emendo for zsh.

_emendo() {
	local -a lines candidates
	local line
	lines=("${(@f)$("${(Q)words[1]}" completion candidates -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
	case $lines[1] in
	files)
		compset -P '-*='
		_files
		return
		;;
	folders)
		compset -P '-*='
		_files -/
		return
		;;
	esac
	for line in "${(@)lines[2,-1]}"; do
		candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done
	_describe emendo candidates
}

if [ "${funcstack[1]}" = _emendo ]; then
	_emendo "$@"
else
	compdef _emendo emendo
fi
