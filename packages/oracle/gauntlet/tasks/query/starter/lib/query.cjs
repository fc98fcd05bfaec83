exports.parse = () => ({});

exports.stringify = () => "";
