# Completion of emendo for fish.

function __emendo_complete
	set -l words (commandline -opc) (commandline -ct)
	set -l lines ($words[1] completion candidates -- $words[2..-1] 2>/dev/null)
	switch "$lines[1]"
		case files
			__fish_complete_path (commandline -ct | string replace -r '^-.*?=' '')
		case folders
			__fish_complete_directories (commandline -ct | string replace -r '^-.*?=' '') ''
		case none
			printf '%s\n' $lines[2..-1]
	end
end

complete -c emendo -f -a '(__emendo_complete)'
